        loop {
            self.socket.writable().await?;
            if self.try_write(bytes)? == bytes.len() {
                return Ok(());
            }
            bytes = &bytes[..];
        }
