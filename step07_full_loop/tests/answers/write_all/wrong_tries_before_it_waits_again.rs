        while !bytes.is_empty() {
            self.socket.writable().await?;
            loop {
                let count = self.try_write(bytes)?;
                bytes = &bytes[count..];
                if count == 0 || bytes.is_empty() {
                    break;
                }
            }
        }
        Ok(())
