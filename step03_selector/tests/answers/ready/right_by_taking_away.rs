        let mut interest = self.interest;
        if !event.is_readable() {
            interest = interest - Interest::READABLE;
        }
        if !event.is_writable() {
            interest = interest - Interest::WRITABLE;
        }
        if interest == Interest::NONE {
            return None;
        }
        let write_closed = event.is_hangup() || event.is_error();
        let read_closed = write_closed || event.is_read_hangup();
        Some(ReadyEvent { data: self.data.clone(), interest, read_closed, write_closed })
