        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let mut left = if self.backlog < 1 { 1 } else { self.backlog };
        while left > 0 {
            let error: io::Error = match accept_with(&**socket, flags) {
                Ok(client) => {
                    left -= 1;
                    self.serve(client);
                    continue;
                }
                Err(errno) => errno.into(),
            };
            left = 0;
            let message = match Failure::of(&error) {
                Failure::NothingThere | Failure::PeerLeft => continue,
                Failure::OneConnection => "socket.accept() failed",
                Failure::OutOfResources => "socket.accept() out of system resource",
                Failure::Lasting => "socket.accept() failed for good",
            };
            let failure = Failure::of(&error);
            report(&self.event_loop, message, named("accept", socket, error));
            if failure == Failure::OutOfResources {
                self.pause(socket);
            } else if failure == Failure::Lasting {
                self.stop_watching(socket);
            }
        }
