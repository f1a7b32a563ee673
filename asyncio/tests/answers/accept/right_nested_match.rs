        let mut accepted = 0;
        loop {
            match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => self.serve(client),
                Err(errno) => {
                    let error = io::Error::from(errno);
                    match AcceptFailure::of(&error) {
                        AcceptFailure::NothingThere | AcceptFailure::PeerLeft => {}
                        AcceptFailure::OneConnection => {
                            let error = named("accept", socket, error);
                            report(&self.event_loop, "socket.accept() failed", error);
                        }
                        AcceptFailure::OutOfResources => {
                            self.pause(socket);
                            let error = named("accept", socket, error);
                            report(&self.event_loop, "socket.accept() out of system resource", error);
                        }
                        AcceptFailure::Lasting => {
                            let error = named("accept", socket, error);
                            report(&self.event_loop, "socket.accept() failed for good", error);
                            self.stop_watching(socket);
                        }
                    }
                    return;
                }
            }
            accepted += 1;
            if accepted >= self.backlog {
                return;
            }
        }
