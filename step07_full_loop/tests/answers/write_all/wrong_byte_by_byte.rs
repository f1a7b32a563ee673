        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            let count = self.try_write(&bytes[..1])?;
            bytes = &bytes[count..];
        }
        Ok(())
