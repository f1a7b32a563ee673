        let all = bytes.len();
        while !bytes.is_empty() {
            self.readiness.write.ready().await?;
            match self.try_write(bytes) {
                Ok(count) => bytes = &bytes[count..],
                Err(_) if bytes.len() < all => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
