        for _ in 0..self.backlog.max(1) {
            match accept_with(socket, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC) {
                Ok(client) => self.serve(client),
                Err(_) => return,
            }
        }
