        let mut rest = bytes.to_vec();
        bytes = &[];
        while !rest.is_empty() {
            self.socket.writable().await?;
            let count = self.try_write(&rest)?;
            rest.drain(..count);
        }
        debug_assert!(bytes.is_empty());
        Ok(())
