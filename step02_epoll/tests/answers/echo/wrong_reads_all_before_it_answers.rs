        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            return Ok(self.after_writing());
        }
        let mut end = Progress::Waiting;
        loop {
            match read(&self.stream, scratch)? {
                Read::End => {
                    end = Progress::Finished;
                    break;
                }
                Read::WouldBlock => break,
                Read::Bytes(count) => self.outbox.push(&scratch[..count]),
            }
            if self.outbox.len() >= 1 << 20 {
                break;
            }
        }
        if !self.wants_to_write() {
            return Ok(end);
        }
        self.outbox.flush(&self.stream)?;
        Ok(self.after_writing())
