    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            Err(_) => {}
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
