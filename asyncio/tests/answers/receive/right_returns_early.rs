        if self.is_lost() {
            self.received.end();
        }
        if self.is_closing() || self.is_lost() {
            return;
        }
        let borrowed = self.stream.borrow();
        let Some(stream) = borrowed.as_ref() else { return };
        let readiness = &stream.readiness.read;
        let mut scratch = self.event_loop.scratch();
        let room = scratch.len();
        let count = match recv(&stream.socket, &mut scratch) {
            Ok(Read::Bytes(count)) => count,
            Ok(Read::WouldBlock) => 0,
            Ok(Read::End) => return self.received.end(),
            Err(error) => return self.fail(error.into()),
        };
        if count > 0 {
            self.received.append(&scratch[..count]);
        }
        if count != room {
            readiness.clear_ready();
        }
