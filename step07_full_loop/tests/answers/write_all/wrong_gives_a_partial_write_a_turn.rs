        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count > 0 && !bytes.is_empty() {
                step06_tasks::yield_now().await?;
            }
        }
        Ok(())
