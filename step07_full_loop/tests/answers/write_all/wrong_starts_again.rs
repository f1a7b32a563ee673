        loop {
            self.readiness.write.ready().await?;
            if self.try_write(bytes)? == bytes.len() {
                return Ok(());
            }
            bytes = &bytes[..];
        }
