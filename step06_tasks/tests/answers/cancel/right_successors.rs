    if task.done() {
        return false;
    }
    let walk = next_walk();
    let first = Some(task);
    let chain = std::iter::successors(first, |asked| {
        let control = asked.as_task()?;
        control.count_request(message);
        let inner = control.pass_on(walk);
        if inner.is_none() {
            control.cancel_at_next_step();
        }
        inner
    });
    if let Some(last) = chain.last()
        && last.as_task().is_none()
    {
        last.cancel(message.cloned());
    }
    true
