// hangs
        let mut buffer = [0; 4096];
        let mut total = 0;
        loop {
            match step01_fd::read(&self.reader, &mut buffer)? {
                Read::Bytes(count) => total += count,
                Read::WouldBlock => {}
                Read::End => return Ok(total),
            }
        }
