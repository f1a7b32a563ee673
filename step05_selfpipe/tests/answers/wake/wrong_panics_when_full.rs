        let written = step01_fd::write(&*self.writer, &[0]);
        assert!(matches!(written, Ok(step01_fd::Written::Bytes(1))));
