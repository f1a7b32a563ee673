        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return };
        let mut scratch = self.event_loop.scratch();
        let room = scratch.len().min(2 * self.received.limit() + 1);
        match recv(&stream.socket, &mut scratch[..room]) {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
                if count < room {
                    stream.readiness.read.clear_ready();
                }
            }
            Ok(Read::WouldBlock) => stream.readiness.read.clear_ready(),
            Ok(Read::End) => self.received.end(),
            Err(error) => self.fail(error.into()),
        }
