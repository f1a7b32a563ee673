        let mut total = 0;
        let mut buffer = [0; 1024];
        loop {
            match step01_fd::read(&self.reader, &mut buffer)? {
                Read::Bytes(count) => total += count,
                Read::WouldBlock | Read::End => {
                    if total > 1000 {
                        self.waker().wake();
                    }
                    return Ok(total);
                }
            }
        }
