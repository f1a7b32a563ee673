// hangs
        while let Ok(step01_fd::Written::WouldBlock) = step01_fd::write(&*self.writer, &[0]) {
            std::thread::yield_now();
        }
