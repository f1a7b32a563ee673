        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            let Ok(count) = self.try_write(bytes) else { return Ok(()) };
            bytes = &bytes[count..];
        }
        Ok(())
