        let mut sent = 0;
        while sent < bytes.len() {
            self.socket.writable().await?;
            sent += self.try_write(&bytes[sent..])?;
        }
        bytes = &bytes[sent..];
        debug_assert!(bytes.is_empty());
        Ok(())
