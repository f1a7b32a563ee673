    let mut results = Vec::new();
    for task in tasks {
        results.push(Ok(task.await?));
    }
    Ok(results)
