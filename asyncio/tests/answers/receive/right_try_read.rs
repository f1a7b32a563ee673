        let outcome = match self.stream.borrow().as_ref() {
            None => Ok(Read::End),
            Some(_) if self.is_closing() => return,
            Some(stream) => {
                let mut scratch = self.event_loop.scratch();
                let outcome = stream.try_read(&mut scratch);
                if let Ok(Read::Bytes(count)) = outcome {
                    self.received.append(&scratch[..count]);
                }
                outcome
            }
        };
        match outcome {
            Ok(Read::End) => self.received.end(),
            Ok(Read::Bytes(_) | Read::WouldBlock) => {}
            Err(error) => self.fail(error),
        }
