        Time::ZERO + Duration::from_secs_f64(self.start.elapsed().as_secs_f64())
