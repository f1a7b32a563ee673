        // expect: key READABLE: NONE
        let mut found = Interest::NONE;
        if event.is_readable() {
            found |= Interest::READABLE;
        }
        if event.is_writable() {
            found |= Interest::WRITABLE;
        }
        Some(ReadyEvent {
            data: self.data.clone(),
            interest: found & self.interest,
            read_closed: event.is_read_hangup() || event.is_hangup() || event.is_error(),
            write_closed: event.is_hangup() || event.is_error(),
        })
