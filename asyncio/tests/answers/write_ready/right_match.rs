        if self.connection.lost.get() > 0 {
            return;
        }
        let before = self.get_write_buffer_size();
        match self.on_socket(|socket| self.connection.outbox.borrow_mut().flush(socket)) {
            Err(error) => {
                self.forget_unsent();
                self.fatal_error(error, "Fatal write error on socket transport");
            }
            Ok(_) if self.get_write_buffer_size() < before => {
                self.resume_protocol_if_below();
                if self.get_write_buffer_size() == 0 {
                    self.forget_unsent();
                    match (self.is_closing(), self.connection.wrote_eof.get()) {
                        (true, _) => self.connection_lost(None),
                        (false, true) => {
                            if let Err(error) = self.on_socket(StreamSocket::shutdown_writing) {
                                self.report("Exception in callback", error);
                            }
                        }
                        (false, false) => {}
                    }
                }
            }
            Ok(_) => {}
        }
