        let mut interest = Interest::NONE;
        if event.is_readable() {
            interest |= Interest::READABLE;
        }
        if event.is_writable() {
            interest |= Interest::WRITABLE;
        }
        let interest = interest & self.interest;
        if interest.is_empty() {
            return None;
        }
        let write_closed = event.is_hangup() || event.is_error();
        let read_closed = write_closed || event.is_read_hangup();
        Some(ReadyEvent { data: self.data.clone(), interest, read_closed, write_closed })
