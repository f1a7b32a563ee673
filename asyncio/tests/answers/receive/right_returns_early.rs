        if self.is_lost() {
            self.received.end();
        }
        if self.is_closing() || self.is_lost() {
            return;
        }
        let borrowed = self.socket.borrow();
        let Some(socket) = borrowed.as_ref() else { return };
        let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
        let room = scratch.len();
        let count = match recv(socket, &mut scratch) {
            Ok(Read::Bytes(count)) => count,
            Ok(Read::WouldBlock) => 0,
            Ok(Read::End) => return self.received.end(),
            Err(error) => return self.fail(error.into()),
        };
        if count > 0 {
            self.received.append(&scratch[..count]);
        }
        if count != room {
            socket.clear_readable();
        }
