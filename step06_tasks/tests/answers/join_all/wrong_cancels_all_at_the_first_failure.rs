    let mut outcome = Ok(());
    for task in &tasks {
        let tasks = tasks.clone();
        task.add_done_callback(move |ended| {
            if ended.exception().is_ok_and(|error| error.is_some()) {
                tasks.iter().for_each(|task| {
                task.cancel();
            });
            }
        });
    }
    while let Some(all_done) = all_done(&tasks) {
        if let Err(cancelled) = all_done.await {
            outcome = outcome.and(Err(cancelled));
            for task in &tasks {
                task.cancel();
            }
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
