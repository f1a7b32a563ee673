        while !bytes.is_empty() {
            self.socket.writable().await?;
            match self.try_write(bytes)? {
                0 => return Err(std::io::Error::from(std::io::ErrorKind::WriteZero).into()),
                count => bytes = &bytes[count..],
            }
        }
        Ok(())
