    let mut cancelled = None;
    while let Some(all_done) = all_done(&tasks) {
        match all_done.await {
            Ok(()) => break,
            Err(error) => {
                if cancelled.is_none() {
                    cancelled = Some(error);
                }
                for task in tasks.iter() {
                    let _ = task.cancel();
                }
            }
        }
    }
    if let Some(error) = cancelled {
        return Err(error);
    }
    let mut results = Vec::with_capacity(tasks.len());
    for task in tasks {
        results.push(task.result());
    }
    Ok(results)
