        Time::from_nanos(self.start.elapsed().subsec_nanos().into())
