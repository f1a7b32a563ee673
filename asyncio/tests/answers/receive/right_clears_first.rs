        let stream = self.stream.borrow();
        let Some(stream) = &*stream else { return self.received.end() };
        if self.is_closing() {
            return;
        }
        let mut scratch = self.event_loop.scratch();
        let outcome = recv(&stream.socket, &mut scratch);
        let has_no_more = match &outcome {
            Ok(Read::Bytes(count)) => *count < scratch.len(),
            Ok(Read::WouldBlock) => true,
            Ok(Read::End) | Err(_) => false,
        };
        if has_no_more {
            stream.readiness.read.clear_ready();
        }
        match outcome {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
            }
            Ok(Read::WouldBlock) => {}
            Ok(Read::End) => self.received.end(),
            Err(error) => self.fail(error.into()),
        }
