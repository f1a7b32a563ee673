        let mut buffer = [0; 1024];
        let mut total = 0;
        loop {
            match step01_fd::read(&self.reader, &mut buffer)? {
                Read::Bytes(count) => {
                    total += count;
                    if count <= buffer.len() {
                        break Ok(total);
                    }
                }
                Read::WouldBlock | Read::End => break Ok(total),
            }
        }
