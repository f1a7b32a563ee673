    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await);
    }
    Ok(results)
