        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return };
        let mut scratch = self.event_loop.scratch();
        match recv(&stream.socket, &mut scratch) {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
                if count < scratch.len() {
                    stream.readiness.read.clear_ready();
                }
            }
            Ok(Read::WouldBlock) => stream.readiness.read.clear_ready(),
            Ok(Read::End) => self.received.end(),
            Err(error) => self.fail(step06_tasks::Error::other(error.to_string())),
        }
