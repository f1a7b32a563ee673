    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(Arc::new(io::Error::other(failure.to_string()))),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
