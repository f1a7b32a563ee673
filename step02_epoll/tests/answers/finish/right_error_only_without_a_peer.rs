        let Err(error) = self.stream.peer_addr() else {
            return Ok(Connected::Yes(self.stream));
        };
        if error.raw_os_error() != Some(libc::ENOTCONN) {
            return Err(error);
        }
        self.stream.take_error()?.map_or(Ok(Connected::NotYet(self)), Err)
