        let socket = self.socket.borrow();
        let Some(socket) = &*socket else { return };
        let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
        let room = scratch.len().min(2 * self.received.limit() + 1);
        match recv(socket, &mut scratch[..room]) {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
                if count < room {
                    socket.clear_readable();
                }
            }
            Ok(Read::WouldBlock) => socket.clear_readable(),
            Ok(Read::End) => self.received.end(),
            Err(error) => self.fail(error.into()),
        }
