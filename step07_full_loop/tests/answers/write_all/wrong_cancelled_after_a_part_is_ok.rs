        let all = bytes.len();
        while !bytes.is_empty() {
            match self.socket.writable().await {
                Err(_) if bytes.len() < all => return Ok(()),
                other => other?,
            }
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
