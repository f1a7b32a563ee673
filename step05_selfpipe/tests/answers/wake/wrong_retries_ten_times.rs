// hangs
        for _ in 0..10 {
            match step01_fd::write(&*self.writer, &[0]) {
                Ok(step01_fd::Written::WouldBlock) => {
                    std::thread::sleep(std::time::Duration::from_micros(10));
                }
                _ => return,
            }
        }
