        let count = match retry(|| self.stream.read(scratch)) {
            Ok(0) => return Ok(Progress::Finished),
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                return Ok(Progress::Waiting);
            }
            Err(error) => return Err(error),
        };
        self.send(&scratch[..count])?;
        Ok(Progress::Echoed)
