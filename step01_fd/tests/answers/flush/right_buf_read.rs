        use io::BufRead;

        loop {
            let front = self.unsent.fill_buf()?;
            if front.is_empty() {
                return Ok(true);
            }
            let Written::Bytes(count) = write(fd.as_fd(), front)? else {
                return Ok(false);
            };
            self.unsent.consume(count);
        }
