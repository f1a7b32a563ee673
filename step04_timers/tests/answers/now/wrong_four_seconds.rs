        Time::from_nanos(u64::from(self.start.elapsed().as_nanos() as u32))
