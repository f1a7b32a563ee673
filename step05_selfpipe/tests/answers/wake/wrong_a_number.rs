        let _ = step01_fd::write(&*self.writer, &1_u64.to_ne_bytes());
