    let mut outcome = Ok(());
    while let Some(all_done) = all_done(&tasks) {
        if let Err(cancelled) = all_done.await {
            outcome = Err(cancelled);
            for task in &tasks {
                task.cancel();
            }
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
