    let mut outcome = Ok(());
    while let Some(all_done) = all_done(&tasks) {
        if let Err(cancelled) = all_done.await {
            outcome = outcome.and(Err(cancelled));
        }
    }
    outcome.map(|()| tasks.iter().map(Task::result).collect())
