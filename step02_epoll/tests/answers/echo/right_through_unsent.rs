        if self.unsent.is_empty() {
            loop {
                match self.stream.read(scratch) {
                    Ok(0) => return Ok(Progress::Finished),
                    Ok(count) => {
                        self.unsent.extend_from_slice(&scratch[..count]);
                        break;
                    }
                    Err(error) => match error.kind() {
                        io::ErrorKind::WouldBlock => return Ok(Progress::Waiting),
                        io::ErrorKind::Interrupted => {}
                        _ => return Err(error),
                    },
                }
            }
        }
        self.send_rest()
