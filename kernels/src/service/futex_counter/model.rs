//! Both ends of the counter, in every order: no wake-up is lost, and a waiter sees what was
//! written before. A waiter that is never woken is a deadlock, which loom reports.

use super::{FutexCounter, SPIN};
use myriad_engine::sync::atomic::AtomicU32;
use myriad_engine::sync::model::{UnsafeCell, check, thread};
use std::sync::Arc;

/// A client and a server: a word travels by one counter and returns changed by the other.
struct Model {
    asked: FutexCounter,
    answered: FutexCounter,
    /// Loom notices when one end touches it without synchronising with the other.
    word: UnsafeCell<u32>,
}

fn futex_counter() -> FutexCounter {
    FutexCounter { count: AtomicU32::new(0), sleeping: AtomicU32::new(0) }
}

impl Model {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            asked: futex_counter(),
            answered: futex_counter(),
            word: UnsafeCell::new(0),
        })
    }

    fn add(&self, number: u32) {
        // SAFETY: no other thread accesses it meanwhile, which loom checks.
        self.word.with_mut(|word| unsafe { *word += number });
    }

    fn word(&self) -> u32 {
        // SAFETY: as above.
        self.word.with(|word| unsafe { *word })
    }
}

#[test]
fn an_increment_wakes_the_waiter_and_publishes_what_was_written() {
    check(None, || {
        let model = Model::new();
        let writer = thread::spawn({
            let model = Arc::clone(&model);
            move || {
                model.add(7);
                model.asked.increment();
            }
        });
        assert!(model.asked.wait(0, SPIN, None));
        assert_eq!(model.word(), 7);
        writer.join().expect("the writer has ended");
    });
}

#[test]
fn questions_and_answers_alternate() {
    check(Some(3), || {
        let model = Model::new();
        let server = thread::spawn({
            let model = Arc::clone(&model);
            move || {
                for heard in 0..2 {
                    assert!(model.asked.wait(heard, SPIN, None));
                    model.add(10);
                    model.answered.increment();
                }
            }
        });
        for heard in 0..2 {
            model.add(1);
            model.asked.increment();
            assert!(model.answered.wait(heard, SPIN, None));
            assert_eq!(model.word(), 11 * (heard + 1));
        }
        server.join().expect("the server has ended");
    });
}

#[test]
fn of_many_rings_the_last_is_heard() {
    check(Some(3), || {
        let model = Model::new();
        let writer = thread::spawn({
            let model = Arc::clone(&model);
            move || (0..2).for_each(|_| model.asked.increment())
        });
        let mut heard = 0;
        while heard < 2 {
            assert!(model.asked.wait(heard, SPIN, None));
            heard = model.asked.count();
        }
        writer.join().expect("the writer has ended");
    });
}
