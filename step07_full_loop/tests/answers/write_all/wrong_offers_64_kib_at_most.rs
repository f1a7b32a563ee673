        while !bytes.is_empty() {
            self.socket.writable().await?;
            let part = bytes.get(..1 << 16).unwrap_or(bytes);
            let count = self.try_write(part)?;
            bytes = &bytes[count..];
        }
        Ok(())
