        let peer = self.stream.peer_addr();
        match (peer, self.stream.take_error()?) {
            (_, Some(error)) => Err(error),
            (Ok(_), None) => Ok(Connected::Yes(self.stream)),
            (Err(reason), None) => match reason.raw_os_error() {
                Some(libc::ENOTCONN) => Ok(Connected::NotYet(self)),
                _ => Err(reason),
            },
        }
