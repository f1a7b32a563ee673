// hangs
        let writer = Arc::clone(&self.writer);
        std::thread::spawn(move || step01_fd::write(&*writer, &[0])).join().ok();
