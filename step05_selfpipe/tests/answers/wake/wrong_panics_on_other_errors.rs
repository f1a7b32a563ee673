        match step01_fd::write(&*self.writer, &[0]) {
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            Err(error) => panic!("{error}"),
        }
