        // Start from what the owner wants, and take away what isn't ready.
        let read = if event.is_readable() { Interest::NONE } else { Interest::READABLE };
        let write = if event.is_writable() { Interest::NONE } else { Interest::WRITABLE };
        let interest = self.interest - read - write;
        (!interest.is_empty()).then(|| ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: event.is_read_hangup() || event.is_hangup() || event.is_error(),
            write_closed: event.is_hangup() || event.is_error(),
        })
