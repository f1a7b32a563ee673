    let mut failures = Vec::new();
    for &address in addresses {
        let connecting = async {
            let attempt = Attempt::begin(address)?;
            attempt.until_writable().await?;
            match attempt.finish()? {
                Progress::Connected(stream) => Ok(stream),
                Progress::NotYet(again) => {
                    again.until_writable().await?;
                    match again.finish()? {
                        Progress::Connected(stream) => Ok(stream),
                        Progress::NotYet(_) => {
                            Err(Error::from(io::Error::from(io::ErrorKind::NotConnected)))
                        }
                    }
                }
            }
        };
        match connecting.await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
