        let mut buffer = [0; 4096];
        let mut total = 0;
        for _ in 0..10 {
            match step01_fd::read(&self.reader, &mut buffer)? {
                Read::Bytes(count) => total += count,
                Read::WouldBlock | Read::End => break,
            }
        }
        Ok(total)
