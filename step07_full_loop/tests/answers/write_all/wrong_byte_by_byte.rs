        while !bytes.is_empty() {
            self.socket.writable().await?;
            let count = self.try_write(&bytes[..1])?;
            bytes = &bytes[count..];
        }
        Ok(())
