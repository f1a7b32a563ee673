        loop {
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if bytes.is_empty() {
                return Ok(());
            }
            self.socket.writable().await?;
        }
