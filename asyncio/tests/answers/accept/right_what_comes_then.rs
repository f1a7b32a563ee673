        for _ in 0..self.backlog.max(1) {
            match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => self.serve(client),
                Err(error) => {
                    let error = io::Error::from(error);
                    let failure = AcceptFailure::of(&error);
                    let (message, then): (_, fn(&Rc<Serving>, &Rc<OwnedFd>)) = match failure {
                        AcceptFailure::NothingThere | AcceptFailure::PeerLeft => return,
                        AcceptFailure::OneConnection => ("socket.accept() failed", |_, _| {}),
                        AcceptFailure::OutOfResources => {
                            ("socket.accept() out of system resource", |it, socket| it.pause(socket))
                        }
                        AcceptFailure::Lasting => {
                            ("socket.accept() failed for good", |it, socket| it.stop_watching(socket))
                        }
                    };
                    report(&self.event_loop, message, named("accept", socket, error));
                    return then(self, socket);
                }
            }
        }
