        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            return Ok(self.after_writing());
        }
        match read(&self.stream, scratch) {
            Ok(Read::End) | Err(_) => Ok(Progress::Finished),
            Ok(Read::WouldBlock) => Ok(Progress::Waiting),
            Ok(Read::Bytes(count)) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(self.after_writing())
            }
        }
