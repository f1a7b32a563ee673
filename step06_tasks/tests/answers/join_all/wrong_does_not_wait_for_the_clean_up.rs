    if let Some(all_done) = all_done(&tasks)
        && let Err(cancelled) = all_done.await
    {
        for task in &tasks {
            task.cancel();
        }
        return Err(cancelled);
    }
    Ok(tasks.iter().map(Task::result).collect())
