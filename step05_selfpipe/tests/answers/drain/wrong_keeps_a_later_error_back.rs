        let mut buffer = [0; 4096];
        let mut total = 0;
        loop {
            match step01_fd::read(&self.reader, &mut buffer) {
                Ok(Read::Bytes(count)) => total += count,
                Ok(Read::WouldBlock | Read::End) => return Ok(total),
                Err(error) if total == 0 => return Err(error),
                Err(_) => return Ok(total),
            }
        }
