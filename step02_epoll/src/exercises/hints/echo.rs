        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
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
