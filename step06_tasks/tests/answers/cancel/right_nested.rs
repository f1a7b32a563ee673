    let is_pending = !task.done();
    if is_pending {
        let walk = next_walk();
        let mut asked = Some(task);
        while let Some(target) = asked.take() {
            if let Some(control) = target.as_task() {
                control.count_request(message);
                asked = control.pass_on(walk);
                if asked.is_none() {
                    control.cancel_at_next_step();
                }
            } else {
                target.cancel(message.map(Arc::clone));
            }
        }
    }
    is_pending
