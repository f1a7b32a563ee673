// hangs
        let _ = step01_fd::write(&*self.writer, &[]);
