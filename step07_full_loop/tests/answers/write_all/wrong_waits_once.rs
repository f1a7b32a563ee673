        self.readiness.write.ready().await?;
        while !bytes.is_empty() {
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count == 0 {
                self.readiness.write.ready().await?;
            }
        }
        Ok(())
