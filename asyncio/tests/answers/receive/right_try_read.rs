        let outcome = match self.socket.borrow().as_ref() {
            None => Ok(Read::End),
            Some(_) if self.is_closing() => return,
            Some(socket) => {
                let mut scratch = self.event_loop.scratch(RECEIVE_SIZE);
                let outcome = recv(socket.get_ref(), &mut scratch);
                if let Ok(Read::Bytes(count)) = outcome {
                    self.received.append(&scratch[..count]);
                }
                let is_short = matches!(outcome, Ok(Read::Bytes(count)) if count < scratch.len());
                if is_short || matches!(outcome, Ok(Read::WouldBlock)) {
                    socket.clear_readable();
                }
                outcome
            }
        };
        match outcome {
            Ok(Read::End) => self.received.end(),
            Ok(Read::Bytes(_) | Read::WouldBlock) => {}
            Err(error) => self.fail(error.into()),
        }
