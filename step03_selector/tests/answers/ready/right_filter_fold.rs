        let found =
            [(Interest::READABLE, event.is_readable()), (Interest::WRITABLE, event.is_writable())];
        let interest = found
            .into_iter()
            .filter(|&(direction, is_ready)| is_ready && self.interest.contains(direction))
            .fold(Interest::default(), |all, (direction, _)| all | direction);
        if interest == Interest::NONE {
            None
        } else {
            let is_broken = event.is_error() | event.is_hangup();
            Some(ReadyEvent {
                interest,
                read_closed: is_broken | event.is_read_hangup(),
                write_closed: is_broken,
                data: self.data.clone(),
            })
        }
