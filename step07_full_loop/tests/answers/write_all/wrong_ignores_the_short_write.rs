        self.socket.writable().await?;
        let _ = self.try_write(bytes)?;
        bytes = &[];
        debug_assert!(bytes.is_empty());
        Ok(())
