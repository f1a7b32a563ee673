        loop {
            if bytes.is_empty() {
                return Ok(());
            }
            self.socket.writable().await?;
            let taken = match step01_fd::write(&self.socket, bytes)? {
                Written::Bytes(count) => count,
                Written::WouldBlock => 0,
            };
            bytes = bytes.split_at(taken).1;
            if !bytes.is_empty() {
                // The kernel took less than it was offered: it will report when there's room again.
                self.socket.clear_writable();
            }
        }
