        Time::from_nanos(self.start.elapsed().as_nanos() as u64)
