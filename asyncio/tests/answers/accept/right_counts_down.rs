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
            let message = match AcceptFailure::of(&error) {
                AcceptFailure::NothingThere | AcceptFailure::PeerLeft => continue,
                AcceptFailure::OneConnection => "socket.accept() failed",
                AcceptFailure::OutOfResources => "socket.accept() out of system resource",
                AcceptFailure::Lasting => "socket.accept() failed for good",
            };
            let failure = AcceptFailure::of(&error);
            report(&self.event_loop, message, named("accept", socket, error));
            if failure == AcceptFailure::OutOfResources {
                self.pause(socket);
            } else if failure == AcceptFailure::Lasting {
                self.stop_watching(socket);
            }
        }
