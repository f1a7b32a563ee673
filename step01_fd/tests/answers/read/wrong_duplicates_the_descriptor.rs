    // expect: Too many open files
    if buffer.is_empty() {
        return Ok(Read::Bytes(0));
    }
    let mut file = std::fs::File::from(fd.as_fd().try_clone_to_owned()?);
    loop {
        return match io::Read::read(&mut file, buffer) {
            Ok(0) => Ok(Read::End),
            Ok(count) => Ok(Read::Bytes(count)),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(Read::WouldBlock),
            Err(error) => Err(error),
        };
    }
