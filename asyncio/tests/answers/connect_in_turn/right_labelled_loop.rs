    let (mut failures, mut left) = (Vec::new(), addresses.iter());
    let outcome = loop {
        let Some(&address) = left.next() else { break Err(all_of(failures)) };
        match TcpStream::connect(address).await {
            Ok(stream) => break Ok(stream),
            Err(Error::Io(failure)) => failures.push(failure),
            Err(other) => break Err(other),
        }
    };
    outcome
