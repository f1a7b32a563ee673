        if bytes.is_empty() {
            return Ok(());
        }
        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        self.readiness.write.ready().await
