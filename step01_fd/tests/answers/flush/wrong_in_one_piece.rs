    let mut done = 0;
    let waiting = self.unsent.make_contiguous();
    let result = loop {
        if done == waiting.len() {
            break Ok(true);
        }
        match write(&fd, &waiting[done..]) {
            Ok(Written::Bytes(count)) => done += count,
            Ok(Written::WouldBlock) => break Ok(false),
            Err(error) => break Err(error),
        }
    };
    self.unsent.drain(..done);
    result
