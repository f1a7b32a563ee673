        while !bytes.is_empty() {
            self.socket.writable().await?;
            self.socket.writable().await?;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
