    let mut outcome = Ok(());
    for task in &tasks {
        if let Err(error) = task.clone().await
            && error.is_cancelled()
        {
            outcome = outcome.and(Err(error));
            tasks.iter().for_each(|task| {
                task.cancel();
            });
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
