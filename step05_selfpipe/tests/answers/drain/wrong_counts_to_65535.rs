        let mut buffer = [0; 4096];
        let mut total = 0_u16;
        while let Read::Bytes(count) = step01_fd::read(&self.reader, &mut buffer)? {
            total = total.saturating_add(u16::try_from(count).unwrap_or(u16::MAX));
        }
        Ok(usize::from(total))
