        if self.wants_to_write() {
            let before = self.outbox.len();
            self.outbox.flush(&self.stream)?;
            if !self.outbox.is_empty() && self.outbox.len() < before {
                return Ok(Progress::Echoed);
            }
            return Ok(self.after_writing());
        }
        match read(&self.stream, scratch)? {
            Read::End => Ok(Progress::Finished),
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::Bytes(count) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(self.after_writing())
            }
        }
