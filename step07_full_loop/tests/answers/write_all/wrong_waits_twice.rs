        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            self.readiness.write.ready().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
