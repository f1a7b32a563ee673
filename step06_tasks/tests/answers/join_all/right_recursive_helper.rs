    async fn wait<T: 'static>(tasks: &[Task<T>]) -> Result<()> {
        match all_done(tasks) {
            None => Ok(()),
            Some(all_done) => all_done.await,
        }
    }
    let mut outcome = wait(&tasks).await;
    if outcome.is_err() {
        while tasks.iter().any(|task| !task.done()) {
            tasks.iter().for_each(|task| {
                task.cancel();
            });
            // Cancelled once more: pass it on. Otherwise all have ended.
            let _ = wait(&tasks).await;
        }
    }
    match &mut outcome {
        Ok(()) => Ok(tasks.iter().map(Task::result).collect()),
        Err(error) => Err(error.clone()),
    }
