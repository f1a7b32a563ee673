        if let Ok(writer) = self.writer.try_clone() {
            let mut stream = std::os::unix::net::UnixStream::from(writer);
            let _ = io::Write::write(&mut stream, &[0]);
        }
