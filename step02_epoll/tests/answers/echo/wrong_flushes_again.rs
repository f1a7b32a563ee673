        if self.wants_to_write() {
            if self.outbox.flush(&self.stream).is_err_and(|error| error.kind() != io::ErrorKind::BrokenPipe) {
                self.outbox.flush(&self.stream)?;
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
