    let mut failures = Vec::new();
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(failures.pop().map_or_else(|| Error::other("no address"), Error::Io))
