        // expect: key WRITABLE: WRITABLE, read closed, write closed
        let mut found = Interest::NONE;
        if event.is_readable() {
            found |= Interest::READABLE;
        }
        if event.is_writable() {
            found |= Interest::WRITABLE;
        }
        let interest = found & self.interest;
        let closed = event.is_read_hangup() || event.is_hangup() || event.is_error();
        (!interest.is_empty()).then(|| ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: closed,
            write_closed: closed,
        })
