        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return };
        let mut scratch = self.event_loop.scratch();
        loop {
            match recv(&stream.socket, &mut scratch) {
                Ok(Read::Bytes(count)) => self.received.append(&scratch[..count]),
                Ok(Read::WouldBlock) => return stream.readiness.read.clear_ready(),
                Ok(Read::End) => return self.received.end(),
                Err(error) => return self.fail(error.into()),
            }
        }
