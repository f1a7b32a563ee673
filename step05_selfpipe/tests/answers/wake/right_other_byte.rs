        if let Err(_full_or_gone) = step01_fd::write(&self.writer, b"!") {}
