    let mut failures = Vec::new();
    for &address in addresses.iter().flat_map(|address| [address, address]) {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
