        if self.wants_to_write() {
            self.outbox.flush(&self.stream)?;
            return Ok(self.after_writing());
        }
        let first = read(&self.stream, scratch);
        match first.or_else(|error| {
            if error.kind() == io::ErrorKind::TimedOut { read(&self.stream, scratch) } else { Err(error) }
        })? {
            Read::End => Ok(Progress::Finished),
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::Bytes(count) => {
                self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(self.after_writing())
            }
        }
