        while !bytes.is_empty() {
            step06_tasks::check_cancelled()?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count == 0 {
                self.socket.writable().await?;
            }
        }
        Ok(())
