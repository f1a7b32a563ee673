        let socket = self.socket.borrow();
        let Some(socket) = &*socket else { return };
        let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
        loop {
            match recv(socket, &mut scratch) {
                Ok(Read::Bytes(count)) => self.received.append(&scratch[..count]),
                Ok(Read::WouldBlock) => return socket.clear_readable(),
                Ok(Read::End) => return self.received.end(),
                Err(error) => return self.fail(error.into()),
            }
        }
