        let mut interest = Interest::NONE;
        if event.is_readable() {
            interest |= Interest::READABLE;
        }
        if event.is_writable() {
            interest |= Interest::WRITABLE;
        }
        let interest = interest & self.interest;
        (!interest.is_empty()).then(|| ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: event.is_read_hangup(),
            write_closed: event.is_hangup() || event.is_error(),
        })
