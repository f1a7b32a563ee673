        for _ in 0..self.backlog.max(1) {
            let error = match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => {
                    self.serve(client);
                    continue;
                }
                Err(error) => io::Error::from(error),
            };
            let failure = AcceptFailure::of(&error);
            let error = named("accept", socket, error);
            match failure {
                AcceptFailure::NothingThere | AcceptFailure::PeerLeft => {}
                AcceptFailure::OneConnection => report(&self.event_loop, "socket.accept() failed", error),
                AcceptFailure::OutOfResources => {
                    report(&self.event_loop, "socket.accept() out of system resource", error);
                    let (serving, paused) = (Rc::clone(self), Rc::clone(socket));
                    self.event_loop.call_later(AcceptFailure::RETRY_DELAY, move || serving.accept(&paused));
                }
                AcceptFailure::Lasting => {
                    report(&self.event_loop, "socket.accept() failed for good", error);
                    self.stop_watching(socket);
                }
            }
            return;
        }
