        // expect: the client writes until all is sent
        if self.wants_to_write() {
            self.send_rest()?;
        }
        let count = match retry(|| self.stream.read(scratch)) {
            Ok(0) => return Ok(Progress::Finished),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Progress::Waiting);
            }
            Err(error) => return Err(error),
        };
        self.unsent.extend_from_slice(&scratch[..count]);
        self.send_rest()?;
        Ok(Progress::Echoed)
