    let mut first_error = None;
    loop {
        let Some(wait) = all_done(&tasks) else { break };
        let Err(cancelled) = wait.await else { continue };
        first_error.get_or_insert(cancelled);
        tasks.iter().filter(|task| !task.done()).for_each(|task| {
            task.cancel();
        });
    }
    match first_error {
        Some(error) => Err(error),
        None => Ok(tasks.iter().map(|task| task.result()).collect()),
    }
