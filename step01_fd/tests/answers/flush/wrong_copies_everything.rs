        let bytes: Vec<u8> = self.unsent.iter().copied().collect();
        let mut sent = 0;
        let result = loop {
            if sent == bytes.len() {
                break Ok(true);
            }
            match write(&fd, &bytes[sent..]) {
                Ok(Written::Bytes(count)) => sent += count,
                Ok(Written::WouldBlock) => break Ok(false),
                Err(error) => break Err(error),
            }
        };
        self.unsent.drain(..sent);
        result
