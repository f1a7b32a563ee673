    let mut failures = Vec::new();
    let mut attempts: Vec<_> =
        addresses.iter().map(|&address| Box::pin(TcpStream::connect(address))).collect();
    std::future::poll_fn(|context| {
        for attempt in &mut attempts {
            let _ = attempt.as_mut().poll(context);
        }
        std::task::Poll::Ready(())
    })
    .await;
    drop(attempts);
    for &address in addresses {
        match TcpStream::connect(address).await {
            Err(Error::Io(failure)) => failures.push(failure),
            outcome => return outcome,
        }
    }
    Err(all_of(failures))
