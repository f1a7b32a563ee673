        let mut found = Interest::NONE;
        if event.is_readable() {
            found |= Interest::READABLE;
        }
        if event.is_writable() {
            found |= Interest::WRITABLE;
        }
        let interest = found & self.interest;
        (!interest.is_empty()).then(|| ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: event.is_read_hangup() || event.is_hangup() || event.is_error(),
            write_closed: event.is_error(),
        })
