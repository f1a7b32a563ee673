        while !bytes.is_empty() {
            self.socket.writable().await?;
            let Ok(count) = self.try_write(bytes) else { return Ok(()) };
            bytes = &bytes[count..];
        }
        Ok(())
