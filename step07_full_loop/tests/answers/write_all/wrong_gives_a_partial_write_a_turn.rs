        while !bytes.is_empty() {
            self.socket.writable().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count > 0 && !bytes.is_empty() {
                step06_tasks::yield_now().await?;
            }
        }
        Ok(())
