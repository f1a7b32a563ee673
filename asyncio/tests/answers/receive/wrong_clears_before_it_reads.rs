        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return };
        let mut scratch = self.event_loop.scratch();
        stream.readiness.read.clear_ready();
        match recv(&stream.socket, &mut scratch) {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
            }
            Ok(Read::WouldBlock) => {}
            Ok(Read::End) => self.received.end(),
            Err(error) => self.fail(error.into()),
        }
