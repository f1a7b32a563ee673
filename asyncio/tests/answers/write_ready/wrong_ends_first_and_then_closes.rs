        if self.connection.lost.get() > 0 {
            return;
        }
        let before = self.get_write_buffer_size();
        let sent = self.on_socket(|socket| self.connection.outbox.borrow_mut().flush(socket));
        if let Err(error) = sent {
            self.forget_unsent();
            return self.fatal_error(error, "Fatal write error on socket transport");
        }
        if self.get_write_buffer_size() == before {
            return;
        }
        self.resume_protocol_if_below();
        if self.get_write_buffer_size() > 0 {
            return;
        }
        self.forget_unsent();
        if self.connection.wrote_eof.get()
            && let Err(error) = self.on_socket(StreamSocket::shutdown_writing)
        {
            self.report("Exception in callback", error);
        } else if self.is_closing() {
            self.connection_lost(None);
        }
