        let socket = self.socket.borrow();
        let Some(socket) = &*socket else { return self.received.end() };
        if self.is_closing() {
            return;
        }
        let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
        let outcome = recv(socket, &mut scratch);
        let has_no_more = match &outcome {
            Ok(Read::Bytes(count)) => *count < scratch.len(),
            Ok(Read::WouldBlock) => true,
            Ok(Read::End) | Err(_) => false,
        };
        if has_no_more {
            socket.clear_readable();
        }
        match outcome {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
            }
            Ok(Read::WouldBlock) => {}
            Ok(Read::End) => self.received.end(),
            Err(error) => self.fail(error.into()),
        }
