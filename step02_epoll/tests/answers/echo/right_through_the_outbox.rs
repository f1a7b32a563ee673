        if self.outbox.is_empty() {
            match read(&self.stream, scratch)? {
                Read::End => return Ok(Progress::Finished),
                Read::WouldBlock => return Ok(Progress::Waiting),
                Read::Bytes(count) => self.outbox.push(&scratch[..count]),
            }
        }
        self.outbox.flush(&self.stream)?;
        Ok(self.after_writing())
