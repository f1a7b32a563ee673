    if delay.is_zero() {
        return yield_now().await;
    }
    let event_loop = get_running_loop()?;
    let when = event_loop.time() + delay;
    let alarm = Alarm::set(event_loop.clone(), delay);
    poll_fn(move |context| {
        check_cancelled()?;
        if event_loop.time() >= when {
            return Poll::Ready(Ok(()));
        }
        alarm.poll(context).map(Ok)
    })
    .await
