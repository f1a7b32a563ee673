    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.insert(0, failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
