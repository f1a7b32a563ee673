    // expect: Too many open files
    let mut file = std::fs::File::from(fd.as_fd().try_clone_to_owned()?);
    loop {
        return match io::Write::write(&mut file, bytes) {
            Ok(count) => Ok(Written::Bytes(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Written::WouldBlock),
            Err(error) => Err(error),
        };
    }
