        let mut interest = Interest::NONE;
        if event.is_readable() {
            interest |= Interest::READABLE;
        }
        if event.is_writable() {
            interest |= Interest::WRITABLE;
        }
        if (interest & self.interest).is_empty() {
            return None;
        }
        Some(ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: event.is_read_hangup() || event.is_hangup() || event.is_error(),
            write_closed: event.is_hangup() || event.is_error(),
        })
