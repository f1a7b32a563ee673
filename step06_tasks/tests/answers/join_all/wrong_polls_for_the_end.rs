    let mut outcome = Ok(());
    while tasks.iter().any(|task| !task.done()) {
        if let Err(cancelled) = crate::yield_now().await {
            outcome = outcome.and(Err(cancelled));
            for task in &tasks {
                task.cancel();
            }
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
