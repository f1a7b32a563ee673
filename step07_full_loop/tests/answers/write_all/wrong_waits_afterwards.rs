        if bytes.is_empty() {
            return Ok(());
        }
        while !bytes.is_empty() {
            self.socket.writable().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        self.socket.writable().await
