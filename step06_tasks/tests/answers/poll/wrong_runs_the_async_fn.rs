        let mut other = Box::pin(dialogue(self.lines.clone()));
        self.state = State::Ended;
        other.as_mut().poll(context)
