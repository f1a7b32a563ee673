        // expect: 100 times pop_due, and each time a timer is due
        let mut entries = std::mem::take(&mut self.heap).into_sorted_vec();
        let mut due = None;
        while let Some(nearest) = entries.pop_if(|entry| entry.when <= now) {
            due = self.payloads.take(nearest.sequence);
            if due.is_some() {
                break;
            }
        }
        self.heap = entries.into();
        due
