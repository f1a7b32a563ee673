        if self.wants_to_write() {
            let is_sent = self.outbox.flush(&self.stream)?;
            return Ok(if is_sent { Progress::Echoed } else { Progress::Waiting });
        }
        match read(&self.stream, scratch)? {
            Read::Bytes(count) => {
                let is_sent = self.outbox.send(&self.stream, &scratch[..count])?;
                Ok(if is_sent { Progress::Echoed } else { Progress::Waiting })
            }
            Read::WouldBlock => Ok(Progress::Waiting),
            Read::End => Ok(Progress::Finished),
        }
