        let mut tries = 0;
        while !bytes.is_empty() {
            if tries % 64 == 0 {
                self.socket.writable().await?;
            }
            tries += 1;
            let count = self.try_write(bytes)?;
            if count == 0 {
                tries = 0;
            }
            bytes = &bytes[count..];
        }
        Ok(())
