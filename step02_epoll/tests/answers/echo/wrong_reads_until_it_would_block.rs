        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            return Ok(self.after_writing());
        }
        loop {
            match read(&self.stream, scratch)? {
                Read::Bytes(count) => {
                    if !self.outbox.send(&self.stream, &scratch[..count])? {
                        return Ok(Progress::Waiting);
                    }
                }
                Read::WouldBlock => return Ok(Progress::Waiting),
                Read::End => return Ok(Progress::Finished),
            }
        }
