    let mut failures = Vec::new();
    'addresses: for address in addresses {
        let mut attempt = match Attempt::begin(*address) {
            Ok(attempt) => attempt,
            Err(error) => {
                failures.push(Arc::new(error));
                continue;
            }
        };
        loop {
            match attempt.until_writable().await {
                Ok(()) => {}
                Err(Error::Io(error)) => {
                    failures.push(error);
                    continue 'addresses;
                }
                Err(other) => return Err(other),
            }
            match attempt.finish() {
                Ok(Progress::Connected(stream)) => return Ok(stream),
                Ok(Progress::NotYet(again)) => attempt = again,
                Err(error) => {
                    failures.push(Arc::new(error));
                    continue 'addresses;
                }
            }
        }
    }
    Err(all_of(failures))
