//! No process, memory or file is leaked.

use crate::harness::*;
use myriad_engine::render::{Buses, Renderer};
use rustix::process::{Pid, Signal, getpgid};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Open files and shared mappings of this process.
fn held() -> (usize, usize) {
    let files = std::fs::read_dir("/proc/self/fd").unwrap().count();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    (files, maps.matches("memfd:myriad").count())
}

#[test]
fn many_processes_leave_no_leaks() {
    let _alone = alone();
    let mut buses = Buses::new(CAPACITY.buses);
    drop(prepared());
    let before = held();
    let mut renderer = prepared();
    let mut processes = Vec::new();
    for round in 0..24 {
        let process = renderer.process_id().unwrap();
        processes.push(process);
        assert_eq!(held().1, before.1 + 1);
        renderer.render(&block(true), &mut buses).unwrap();
        match round % 4 {
            0 => renderer = prepared(),
            1 => {
                signal(process, Signal::KILL);
                renderer.render(&block(false), &mut buses).unwrap_err();
                renderer.prepare(CAPACITY).unwrap();
            }
            // With blocks in flight.
            2 => {
                renderer.submit(&block(false)).unwrap();
                renderer.submit(&block(false)).unwrap();
                renderer.prepare(CAPACITY).unwrap();
            }
            _ => {
                signal(process, Signal::STOP);
                renderer = prepared();
            }
        }
    }
    drop(renderer);
    eventually("no process is left, not even a zombie", || {
        processes.iter().all(|&process| state(process).is_none())
    });
    assert_eq!(held(), before);
}

#[test]
fn the_child_does_not_receive_ctrl_c() {
    let _alone = alone();
    let renderer = prepared();
    let process = Pid::from_raw(renderer.process_id().unwrap() as i32).unwrap();
    assert_eq!(getpgid(Some(process)).unwrap(), process);
    assert_ne!(getpgid(None).unwrap(), process);
}

const PARENT: &str = "leaks::parent_process_until_killed";

/// Not a test: the parent process of the next test.
#[test]
#[ignore = "waits until it is killed"]
fn parent_process_until_killed() {
    // Started from a thread that ends, as in failover.
    let renderer = std::thread::spawn(prepared).join().unwrap();
    println!("\nchild {}", renderer.process_id().unwrap());
    std::thread::sleep(std::time::Duration::from_secs(100));
}

#[test]
fn the_child_ends_with_its_parent() {
    let _alone = alone();
    let mut parent = Command::new(std::env::current_exe().unwrap())
        .args([PARENT, "--exact", "--ignored", "--nocapture"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(parent.stdout.take().unwrap()).lines();
    let child = lines.find_map(|line| line.unwrap().strip_prefix("child ")?.parse().ok());
    let child: u32 = child.unwrap();
    // The child outlives the thread that started it.
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(matches!(state(child), Some('S' | 'R')), "{:?}", state(child));
    parent.kill().unwrap();
    parent.wait().unwrap();
    // The process that inherits it may leave it a zombie.
    let is_over = || matches!(state(child), None | Some('Z' | 'X'));
    eventually("a child ends with its parent", is_over);
}
