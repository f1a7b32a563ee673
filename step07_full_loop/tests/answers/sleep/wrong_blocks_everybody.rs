    std::thread::sleep(delay);
    yield_now().await
