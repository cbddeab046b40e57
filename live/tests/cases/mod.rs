//! What is tested.

mod failover;
mod room;
mod stream;
mod stream_changes;
mod stream_faults;
mod stream_overlap;
mod stream_thread;
