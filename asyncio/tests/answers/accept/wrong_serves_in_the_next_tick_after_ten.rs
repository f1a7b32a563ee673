        for accepted in 0..self.backlog.max(1) {
            let error = match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => {
                    if accepted < 10 {
                        self.serve(client);
                    } else {
                        let serving = Rc::clone(self);
                        self.event_loop.call_soon(move || serving.serve(client));
                    }
                    continue;
                }
                Err(error) => io::Error::from(error),
            };
            let failure = Failure::of(&error);
            let error = named("accept", socket, error);
            match failure {
                Failure::NothingThere | Failure::PeerLeft => {}
                Failure::OneConnection => report(&self.event_loop, "socket.accept() failed", error),
                Failure::OutOfResources => {
                    report(&self.event_loop, "socket.accept() out of system resource", error);
                    self.pause(socket);
                }
                Failure::Lasting => {
                    report(&self.event_loop, "socket.accept() failed for good", error);
                    self.stop_watching(socket);
                }
            }
            return;
        }
