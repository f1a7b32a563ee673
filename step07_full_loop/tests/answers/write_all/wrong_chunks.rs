        for mut chunk in bytes.chunks(64 * 1024) {
            while !chunk.is_empty() {
                self.socket.writable().await?;
                let count = self.try_write(chunk)?;
                chunk = &chunk[count..];
            }
        }
        Ok(())
