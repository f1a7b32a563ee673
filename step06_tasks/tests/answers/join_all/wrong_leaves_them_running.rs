    if let Some(all_done) = all_done(&tasks) {
        all_done.await?;
    }
    Ok(tasks.iter().map(Task::result).collect())
