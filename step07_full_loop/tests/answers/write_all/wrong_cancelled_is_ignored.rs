        while !bytes.is_empty() {
            let _ = self.socket.writable().await;
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
