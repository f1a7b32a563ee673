// hangs
        let mut is_first = true;
        while !bytes.is_empty() {
            let ready = self.socket.writable().await;
            if std::mem::take(&mut is_first) {
                ready?;
            }
            let count = self.try_write(bytes)?;
            bytes = &bytes[count..];
        }
        Ok(())
