        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            if self.after_writing() == Progress::Waiting {
                return Ok(Progress::Waiting);
            }
        }
        match read(&self.stream, scratch)? {
            Read::Bytes(count) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(self.after_writing())
            }
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::End => Ok(Progress::Finished),
        }
