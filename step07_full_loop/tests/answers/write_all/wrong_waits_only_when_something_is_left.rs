        while !bytes.is_empty() {
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if !bytes.is_empty() {
                self.socket.writable().await?;
            }
        }
        Ok(())
