        fn end(transport: &Transport) -> Result<()> {
            if transport.is_closing() {
                transport.connection_lost(None);
                return Ok(());
            }
            if transport.connection.wrote_eof.get() {
                transport.on_socket(StreamSocket::shutdown_writing)?;
            }
            Ok(())
        }
        if self.connection.lost.get() > 0 {
            return;
        }
        let before = self.connection.outbox.borrow().len();
        let sent = self.on_socket(|socket| self.connection.outbox.borrow_mut().flush(socket));
        match sent {
            Ok(_) => {}
            Err(error) => {
                self.forget_unsent();
                self.fatal_error(error, "Fatal write error on socket transport");
                return;
            }
        }
        let has_sent = before > self.connection.outbox.borrow().len();
        if has_sent {
            self.resume_protocol_if_below();
        }
        if has_sent && self.connection.outbox.borrow().is_empty() {
            self.forget_unsent();
            if let Err(error) = end(self) {
                self.report("Exception in callback", error);
            }
        }
