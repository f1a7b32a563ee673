//! Properties of clocks and the heap that no scene shows.

use std::time::{Duration, Instant};

use step04_timers::{Clock, MonotonicClock, Time, TimerHeap, VirtualClock};

#[test]
fn far_away_deadlines_saturate_and_do_not_wrap() {
    let mut timers = TimerHeap::new();
    timers.push(Time::ZERO + Duration::MAX, "at the end of time");
    timers.push(Time::ZERO + Duration::from_secs(1), "soon");
    assert_eq!(timers.pop_due(Time::ZERO + Duration::from_secs(1)), Some("soon"));
    assert_eq!(timers.pop_due(Time::ZERO + Duration::from_secs(1)), None);
    assert_eq!(timers.pop_due(Time::from_nanos(u64::MAX)), Some("at the end of time"));
}

#[test]
fn the_heap_agrees_with_a_sorted_list_through_pushes_cancels_and_pops() {
    let mut timers = TimerHeap::new();
    let mut model: Vec<(Time, u64)> = Vec::new();
    let mut ids = Vec::new();
    // A small random number generator, the same in every run.
    let mut state = 1_u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    for value in 0..20_000 {
        let when = Time::from_nanos(random(50));
        match random(4) {
            0 | 1 => {
                ids.push((timers.push(when, value), value));
                model.push((when, value));
            }
            2 if !ids.is_empty() => {
                let index = usize::try_from(random(ids.len() as u64)).unwrap();
                let (id, value) = ids.swap_remove(index);
                let waiting = model.iter().position(|(_, it)| *it == value);
                assert_eq!(timers.cancel(id), waiting.map(|index| model.remove(index).1));
            }
            _ => {
                let nearest = model.iter().min().copied();
                assert_eq!(timers.next_timeout(Time::ZERO), nearest.map(|it| it.0 - Time::ZERO));
                let due = nearest.filter(|it| it.0 <= when);
                model.retain(|it| Some(*it) != due);
                assert_eq!(timers.pop_due(when), due.map(|it| it.1));
            }
        }
        assert_eq!(timers.len(), model.len());
    }
}

#[test]
fn cancelling_releases_the_payload_at_once() {
    let value = std::rc::Rc::new(());
    let mut timers = TimerHeap::new();
    let id = timers.push(Time::ZERO, std::rc::Rc::clone(&value));
    drop(timers.cancel(id));
    assert_eq!(std::rc::Rc::strong_count(&value), 1);
}

#[test]
fn fired_timers_leave_nothing_behind() {
    let mut timers = TimerHeap::new();
    for round in 0..10_000_u64 {
        timers.push(Time::ZERO, round);
        assert_eq!(timers.pop_due(Time::ZERO), Some(round));
    }
    assert!(timers.is_empty());
    assert_eq!(timers.scheduled(), 0);
}

#[test]
fn the_monotonic_clock_never_goes_back_and_sleeps_as_long_as_asked() {
    let clock = MonotonicClock::new();
    let mut before = clock.now();
    for _ in 0..1000 {
        let now = clock.now();
        assert!(now >= before);
        before = now;
    }
    let second = Some(Duration::from_secs(1));
    assert_eq!(clock.sleep_for(second), second);
    assert_eq!(clock.sleep_for(None), None);
}

#[test]
fn a_virtual_clock_moves_its_clones_and_sleeps_only_without_a_deadline() {
    let clock = VirtualClock::new();
    let other = clock.clone();
    assert_eq!(clock.sleep_for(Some(Duration::from_secs(3))), Some(Duration::ZERO));
    assert_eq!(clock.sleep_for(None), None);
    assert_eq!(other.now(), Time::ZERO + Duration::from_secs(3));
}

#[test]
fn a_turn_costs_the_same_however_many_timers_wait() {
    let far = Time::ZERO + Duration::from_hours(1);
    let mut timers = TimerHeap::new();
    for value in 0..200_000 {
        timers.push(far, value);
    }
    let began = Instant::now();
    for value in 0..30_000 {
        timers.push(Time::ZERO, value);
        assert_eq!(timers.pop_due(Time::ZERO), Some(value));
        assert!(timers.next_timeout(Time::ZERO).is_some());
        // Looking at all timers in every third turn would take more than twice that.
        assert!(began.elapsed() < Duration::from_secs(10), "{value} turns take that long");
    }
}
