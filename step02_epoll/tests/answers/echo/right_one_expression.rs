        let is_all_written = if self.outbox.is_empty() {
            let count = match read(&self.stream, scratch)? {
                Read::End => return Ok(Progress::Finished),
                Read::WouldBlock => return Ok(Progress::Waiting),
                Read::Bytes(count) => count,
            };
            self.outbox.send(&self.stream, &scratch[..count])
        } else {
            self.outbox.flush(&self.stream)
        };
        is_all_written.map(|_| self.after_writing())
