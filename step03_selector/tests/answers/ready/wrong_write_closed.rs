        let readable = if event.is_readable() { Interest::READABLE } else { Interest::NONE };
        let writable = if event.is_writable() { Interest::WRITABLE } else { Interest::NONE };
        let interest = (readable | writable) & self.interest;
        if interest.is_empty() {
            return None;
        }
        let is_closed = event.is_hangup() || event.is_read_hangup() || event.is_error();
        Some(ReadyEvent {
            data: self.data.clone(),
            interest,
            read_closed: is_closed,
            write_closed: is_closed,
        })
