    let mut failures: Vec<Arc<io::Error>> = vec![];
    for address in addresses {
        let error = match TcpStream::connect(*address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        let Error::Io(failure) = error else { return Err(error) };
        failures.push(failure);
    }
    Err(all_of(failures))
