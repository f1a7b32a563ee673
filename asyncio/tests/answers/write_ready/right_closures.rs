        let unsent = || self.get_write_buffer_size();
        let connection = &self.connection;
        if connection.lost.get() != 0 {
            return;
        }
        let had = unsent();
        let flushed = self.on_socket(|socket| connection.outbox.borrow_mut().flush(socket));
        if let Err(error) = flushed {
            connection.outbox.replace(Outbox::new());
            self.forget_unsent();
            self.fatal_error(error, "Fatal write error on socket transport");
        } else if unsent() != had {
            self.resume_protocol_if_below();
            if unsent() != 0 {
                return;
            }
            self.forget_unsent();
            if self.is_closing() {
                return self.connection_lost(None);
            }
            if connection.wrote_eof.get() {
                let ended = self.on_socket(StreamSocket::shutdown_writing);
                ended.unwrap_or_else(|error| self.report("Exception in callback", error));
            }
        }
