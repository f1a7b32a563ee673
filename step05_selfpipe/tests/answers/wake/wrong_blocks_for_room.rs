// hangs
        let _ = step01_fd::set_nonblocking(&*self.writer, false);
        let _ = step01_fd::write(&*self.writer, &[0]);
        let _ = step01_fd::set_nonblocking(&*self.writer, true);
