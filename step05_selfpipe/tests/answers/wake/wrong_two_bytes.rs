        let _ = step01_fd::write(&*self.writer, &[0, 0]);
