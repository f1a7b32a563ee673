        // expect: BrokenPipe
        step01_fd::write(&*self.writer, &[0]).expect("a wake");
