        self.socket.writable().await?;
        while !bytes.is_empty() {
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count == 0 {
                self.socket.writable().await?;
            }
        }
        Ok(())
