    let mut failures = Vec::new();
    for &address in addresses.iter().take(1) {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
