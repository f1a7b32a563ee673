// hangs
        let mut total = 0;
        loop {
            match step01_fd::read(&self.reader, &mut [0; 3])? {
                Read::Bytes(count) => total += count,
                Read::WouldBlock | Read::End => break Ok(total),
            }
        }
