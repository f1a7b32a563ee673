        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            self.after_writing();
            return Ok(Progress::Echoed);
        }
        match read(&self.stream, scratch)? {
            Read::End => Ok(Progress::Finished),
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::Bytes(count) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                self.after_writing();
                Ok(Progress::Echoed)
            }
        }
