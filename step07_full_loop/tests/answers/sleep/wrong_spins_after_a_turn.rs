    yield_now().await?;
    let event_loop = get_running_loop()?;
    let end = event_loop.time() + delay;
    while event_loop.time() < end {
        yield_now().await?;
    }
    Ok(())
