    let mut failures = Vec::new();
    let mut left = addresses.iter();
    let mut attempt = None;
    while let Some(address) = left.next() {
        let outcome: Result<TcpStream> = async {
            attempt = Some(Attempt::begin(*address)?);
            while let Some(current) = attempt.take() {
                current.until_writable().await?;
                match current.finish()? {
                    Progress::Connected(stream) => return Ok(stream),
                    Progress::NotYet(still) => attempt = Some(still),
                }
            }
            unreachable!("it ends with a connection or an error")
        }
        .await;
        match outcome {
            Ok(stream) => return Ok(stream),
            Err(Error::Io(failure)) => failures.push(failure),
            Err(other) => return Err(other),
        }
    }
    Err(all_of(failures))
