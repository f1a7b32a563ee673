        let mut buffer = [0; 1024];
        let mut total = 0;
        loop {
            let count = match step01_fd::read(&self.reader, &mut buffer)? {
                Read::Bytes(count) => count,
                Read::WouldBlock | Read::End => 0,
            };
            total += count;
            // A stream socket that returns less than there was room for is empty.
            if count < buffer.len() {
                return Ok(total);
            }
        }
