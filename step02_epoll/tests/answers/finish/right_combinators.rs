        let verdict = self.stream.take_error()?.map_or(Ok(()), Err);
        verdict.and_then(|()| match self.stream.peer_addr().map_err(|error| (error.kind(), error)) {
            Ok(_) => Ok(Connected::Yes(self.stream)),
            Err((io::ErrorKind::NotConnected, _)) => Ok(Connected::NotYet(self)),
            Err((_, error)) => Err(error),
        })
