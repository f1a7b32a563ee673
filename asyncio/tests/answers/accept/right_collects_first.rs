        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let most = usize::try_from(self.backlog.max(1)).unwrap_or(1);
        let mut failed = None;
        let clients: Vec<OwnedFd> = std::iter::from_fn(|| match accept_with(socket, flags) {
            Ok(client) => Some(client),
            Err(error) => {
                failed = Some(io::Error::from(error));
                None
            }
        })
        .take(most)
        .collect();
        for client in clients {
            self.serve(client);
        }
        let Some(error) = failed else { return };
        let say = |message: &str, error| report(&self.event_loop, message, named("accept", socket, error));
        match AcceptFailure::of(&error) {
            AcceptFailure::PeerLeft | AcceptFailure::NothingThere => (),
            AcceptFailure::OneConnection => say("socket.accept() failed", error),
            AcceptFailure::OutOfResources => {
                self.pause(socket);
                say("socket.accept() out of system resource", error);
            }
            AcceptFailure::Lasting => {
                self.stop_watching(socket);
                say("socket.accept() failed for good", error);
            }
        }
