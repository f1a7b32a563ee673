    if delay.is_zero() {
        return yield_now().await;
    }
    let delay = Duration::from_nanos(delay.as_nanos() as u64);
    let alarm = Alarm::set(get_running_loop()?, delay);
    poll_fn(move |context| {
        check_cancelled()?;
        alarm.poll(context).map(Ok)
    })
    .await
