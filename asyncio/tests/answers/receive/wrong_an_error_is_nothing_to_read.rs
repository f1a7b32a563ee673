        let socket = self.socket.borrow();
        let Some(socket) = &*socket else { return };
        let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
        match recv(socket, &mut scratch) {
            Ok(Read::Bytes(count)) => {
                self.received.append(&scratch[..count]);
                if count < scratch.len() {
                    socket.clear_readable();
                }
            }
            Ok(Read::WouldBlock) => socket.clear_readable(),
            Ok(Read::End) => self.received.end(),
            Err(_) => socket.clear_readable(),
        }
