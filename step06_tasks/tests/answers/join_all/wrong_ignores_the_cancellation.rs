    let outcome: Result<()> = Ok(());
    while let Some(all_done) = all_done(&tasks) {
        if let Err(cancelled) = all_done.await {
            drop(cancelled);
            for task in &tasks {
                task.cancel();
            }
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
