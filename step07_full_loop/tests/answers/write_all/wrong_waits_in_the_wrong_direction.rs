        while !bytes.is_empty() {
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count == 0 {
                self.readiness.read.ready().await?;
            }
        }
        Ok(())
