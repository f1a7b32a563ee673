    if delay.is_zero() {
        return yield_now().await;
    }
    let alarm = Alarm::set(get_running_loop()?, delay);
    let mut has_begun = false;
    poll_fn(move |context| {
        if has_begun {
            check_cancelled()?;
        }
        has_begun = true;
        alarm.poll(context).map(Ok)
    })
    .await
