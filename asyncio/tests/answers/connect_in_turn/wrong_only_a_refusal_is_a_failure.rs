    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) if failure.kind() == io::ErrorKind::ConnectionRefused => {
                failures.push(failure);
            }
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
