        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            return Ok(self.after_writing());
        }
        let mut scratch = vec![0; scratch.len()];
        match read(&self.stream, &mut scratch)? {
            Read::End => Ok(Progress::Finished),
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::Bytes(count) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(self.after_writing())
            }
        }
