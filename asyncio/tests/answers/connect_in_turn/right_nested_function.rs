    async fn connect_to(address: SocketAddr) -> Result<TcpStream> {
        let mut attempt = Attempt::begin(address)?;
        loop {
            attempt.until_writable().await?;
            attempt = match attempt.finish()? {
                Progress::NotYet(attempt) => attempt,
                Progress::Connected(stream) => break Ok(stream),
            };
        }
    }
    let mut failures: Vec<Arc<io::Error>> = vec![];
    for address in addresses {
        let error = match connect_to(*address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        let Error::Io(failure) = error else { return Err(error) };
        failures.push(failure);
    }
    Err(all_of(failures))
