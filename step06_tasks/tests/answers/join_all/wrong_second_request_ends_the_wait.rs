    if let Some(first) = all_done(&tasks)
        && let Err(cancelled) = first.await
    {
        for task in &tasks {
            task.cancel();
        }
        if let Some(left) = all_done(&tasks) {
            left.await?;
        }
        return Err(cancelled);
    }
    Ok(tasks.iter().map(Task::result).collect())
