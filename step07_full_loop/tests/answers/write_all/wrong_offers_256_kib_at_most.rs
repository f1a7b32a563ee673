        while !bytes.is_empty() {
            self.socket.writable().await?;
            let part = &bytes[..bytes.len().min(256 * 1024)];
            let count = self.try_write(part)?;
            bytes = &bytes[count..];
        }
        Ok(())
