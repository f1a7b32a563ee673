    let mut failures = Vec::new();
    'next: for &address in addresses {
        let mut attempt = match Attempt::begin(address) {
            Ok(attempt) => attempt,
            Err(error) => {
                failures.push(Arc::new(error));
                continue;
            }
        };
        loop {
            attempt.until_writable().await?;
            match attempt.finish() {
                Ok(Progress::Connected(stream)) => return Ok(stream),
                Ok(Progress::NotYet(still)) => attempt = still,
                Err(error) => {
                    failures.push(Arc::new(error));
                    continue 'next;
                }
            }
        }
    }
    Err(all_of(failures))
