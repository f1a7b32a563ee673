        let all = bytes.len();
        while !bytes.is_empty() {
            self.socket.writable().await?;
            match self.try_write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(_) if bytes.len() < all => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
