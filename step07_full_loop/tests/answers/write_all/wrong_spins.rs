        while !bytes.is_empty() {
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count == 0 {
                step06_tasks::yield_now().await?;
            }
        }
        Ok(())
