//! No process, memory or file is leaked.

use crate::harness::*;
use myriad_engine::render::{Buses, Renderer};
use myriad_kernels::service::status;
use rustix::process::{Pid, Signal, getsid};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

/// Open files and shared mappings of a process.
fn held(process: &str) -> (usize, usize) {
    let files = std::fs::read_dir(format!("/proc/{process}/fd")).unwrap().count();
    let maps = std::fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    (files, maps.matches("memfd:myriad").count())
}

fn clients(folder: &Folder) -> usize {
    status(folder.path(), GPU, TIMEOUT).unwrap().map_or(0, |status| status.clients.len())
}

#[test]
fn many_clients_leave_no_leaks() {
    let _alone = alone();
    let folder = Folder::new();
    let mut buses = Buses::new(CAPACITY.buses);
    drop(Folder::new().prepared());
    let before = held("self");
    let keeper = folder.prepared();
    let service = keeper.process_id().unwrap();
    eventually("the keeper is alone", || clients(&folder) == 1);
    let (at_rest, own) = (held(&service.to_string()), held("self"));
    for round in 0..24 {
        let mut renderer = folder.prepared();
        assert_eq!(renderer.process_id(), Some(service));
        renderer.render(&block(true), &mut buses).unwrap();
        // With blocks in flight.
        if round % 2 == 0 {
            renderer.submit(&block(false)).unwrap();
            renderer.submit(&block(false)).unwrap();
        }
        if round % 3 == 0 {
            renderer.prepare(CAPACITY).unwrap();
        }
    }
    assert_eq!(held("self"), own);
    eventually("the service has let go of them", || {
        clients(&folder) == 1 && held(&service.to_string()) == at_rest
    });
    drop(keeper);
    assert_eq!(held("self"), before);
    eventually("it ends when nobody is left", || matches!(state(service), None | Some('Z')));
}

#[test]
fn losses_leave_no_leaks() {
    let _alone = alone();
    let folder = Folder::new();
    let mut buses = Buses::new(CAPACITY.buses);
    let mut renderer = folder.prepared();
    let before = held("self");
    for _ in 0..12 {
        signal(renderer.process_id().unwrap(), Signal::KILL);
        renderer.render(&block(true), &mut buses).unwrap_err();
        renderer.prepare(CAPACITY).unwrap();
    }
    assert_eq!(held("self"), before);
}

#[test]
fn the_service_does_not_receive_ctrl_c_and_is_nobodys_child() {
    let _alone = alone();
    let folder = Folder::new();
    let renderer = folder.prepared();
    let process = Pid::from_raw(renderer.process_id().unwrap() as i32).unwrap();
    assert_eq!(getsid(Some(process)).unwrap(), process);
    let task = format!("/proc/self/task/{}/children", std::process::id());
    let children = std::fs::read_to_string(task).unwrap_or_default();
    assert!(!children.split(' ').any(|child| child == process.as_raw_pid().to_string()));
}

const CLIENT: &str = "leaks::client_process_until_killed";

/// Not a test: the client process of the next test.
#[test]
#[ignore = "waits until it is killed"]
fn client_process_until_killed() {
    let folder = Folder::new();
    let renderer = folder.prepared();
    println!("\nservice {} {}", renderer.process_id().unwrap(), folder.path().display());
    std::thread::sleep(Duration::from_secs(1_000));
}

#[test]
fn a_client_that_is_killed_is_let_go() {
    let _alone = alone();
    let mut client = Command::new(std::env::current_exe().unwrap())
        .args([CLIENT, "--exact", "--ignored", "--nocapture"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    let service = lines.find_map(|line| Some(line.unwrap().strip_prefix("service ")?.to_owned()));
    let service = service.unwrap();
    let (service, folder) = service.split_once(' ').unwrap();
    let service: u32 = service.parse().unwrap();
    assert!(matches!(state(service), Some('S' | 'R')), "{:?}", state(service));
    client.kill().unwrap();
    client.wait().unwrap();
    // The process that inherits it may leave it a zombie.
    eventually("the service ends", || matches!(state(service), None | Some('Z' | 'X')));
    std::fs::remove_dir_all(folder).unwrap();
}
