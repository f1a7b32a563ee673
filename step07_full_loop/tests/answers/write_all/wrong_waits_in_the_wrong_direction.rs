        while !bytes.is_empty() {
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
            if count == 0 {
                self.socket.readable().await?;
            }
        }
        Ok(())
