        let mut drained = 0;
        let mut scratch = vec![0; 4096];
        while let Read::Bytes(count) = step01_fd::read(self, &mut scratch)? {
            drained += count;
        }
        Ok(drained)
