//! The service fails, dies, hangs, or is something else.

use crate::harness::*;
use myriad_conformance::testing::{RATE, on, play, rms, soft, steepest};
use myriad_engine::render::{Buses, CpuRenderer, RenderError, Renderer};
use myriad_kernels::service::{
    Served, ServiceCommand, ServiceFailure, ServiceOptions, ServiceRenderer, status,
};
use myriad_live::auto::one_thread;
use myriad_live::stream::{self, StreamConfig};
use myriad_live::supervised::watchdog::WatchdogConfig;
use myriad_live::supervised::{MakeGpuRenderer, SupervisedRenderer};
use rustix::process::Signal;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Frames that are ready, of the stream that plays: a fiftieth of a second.
const DEPTH: usize = 960;

#[test]
fn a_service_that_is_killed_is_an_error_for_all_clients_and_is_replaced() {
    let _others = beside_others();
    let folder = Folder::new();
    let mut clients = [folder.prepared(), folder.prepared()];
    let mut buses = Buses::new(CAPACITY.buses);
    for _ in 0..3 {
        let process = clients[0].process_id().unwrap();
        assert_eq!(clients[1].process_id(), Some(process));
        for client in &mut clients {
            client.render(&block(true), &mut buses).unwrap();
        }
        signal(process, Signal::KILL);
        let lost = RenderError::from(ServiceFailure::Ended);
        for client in &mut clients {
            assert_eq!(client.render(&block(false), &mut buses), Err(lost));
            // Every call fails at once until it is prepared again.
            assert_eq!(client.submit(&block(false)), Err(lost));
        }
        clients.iter_mut().for_each(|client| client.prepare(CAPACITY).unwrap());
        assert_ne!(clients[0].process_id(), Some(process));
    }
}

/// However many clients find that there is none.
#[test]
fn one_service_is_started_for_all() {
    let _others = beside_others();
    let folder = Folder::new();
    let prepare = || {
        let client = folder.prepared();
        (client.process_id().unwrap(), client)
    };
    let clients: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(prepare)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(clients.iter().all(|(process, _)| *process == clients[0].0));
}

#[test]
fn chords_survive_the_loss_of_their_service() {
    let _others = beside_others();
    let folder = Folder::new();
    let process = Arc::new(AtomicU32::new(0));
    let mut rigs = [(); 3].map(|()| {
        let (command, noted) = (folder.command(), Arc::clone(&process));
        let make: MakeGpuRenderer = Arc::new(move || {
            let inner = ServiceRenderer::new(command.clone(), ServiceOptions::default());
            Box::new(Watched { inner, process: Arc::clone(&noted) })
        });
        let supervised = SupervisedRenderer::new(make, CpuRenderer::new(1));
        let report = supervised.report();
        (engine_on(Box::new(supervised), &soft()), report)
    });
    let chord = [(0, on(45)), (0, on(52)), (0, on(57))];
    let mut sounds = rigs.each_mut().map(|(engine, report)| {
        assert!(report.lock().unwrap().on_gpu);
        play(engine, &chord, RATE)[0][RATE / 2..].to_vec()
    });
    let before = sounds.each_ref().map(|sound| steepest(sound));
    let first = process.load(Ordering::Relaxed);
    signal(first, Signal::KILL);
    for ((engine, report), sound) in rigs.iter_mut().zip(&mut sounds) {
        let start = Instant::now();
        while report.lock().unwrap().returns == 0 {
            assert!(start.elapsed() < TIMEOUT, "{:?}", report.lock().unwrap());
            sound.extend(play(engine, &[], 1_024)[0].iter());
            thread::sleep(Duration::from_millis(1));
        }
        sound.extend(play(engine, &[], RATE / 2)[0].iter());
        let report = report.lock().unwrap();
        assert_eq!((report.losses, report.returns), (1, 1));
        assert!(report.lost_because.as_ref().unwrap().contains("has ended"));
    }
    assert_ne!(process.load(Ordering::Relaxed), first);
    for (sound, own) in sounds.iter().zip(before) {
        // The chord still sounds, and there is no click.
        let after = &sound[sound.len() - RATE / 4..];
        assert!(rms(after) > 0.5 * rms(&sound[..RATE / 4]));
        let own = own.max(steepest(after));
        assert!(steepest(sound) <= 1.6 * own, "{} of {own}", steepest(sound));
    }
}

#[test]
fn a_service_that_hangs_is_late_and_is_replaced() {
    let _others = beside_others();
    let folder = Folder::new();
    let deadline = Duration::from_millis(1_500);
    let options = ServiceOptions { deadline, start_deadline: TIMEOUT, ..ServiceOptions::default() };
    let mut renderer = folder.client_with(options);
    renderer.prepare(CAPACITY).unwrap();
    let mut buses = Buses::new(CAPACITY.buses);
    renderer.render(&block(true), &mut buses).unwrap();
    let process = renderer.process_id().unwrap();
    signal(process, Signal::STOP);
    let late = Err(RenderError::Late { milliseconds: 1_500 });
    let start = Instant::now();
    assert_eq!(renderer.render(&block(false), &mut buses), late);
    assert!(start.elapsed() >= deadline);
    assert_eq!(renderer.submit(&block(false)), late.map(|_| ()));
    renderer.prepare(CAPACITY).unwrap();
    assert_ne!(renderer.process_id(), Some(process));
    renderer.render(&block(true), &mut buses).unwrap();
    eventually("a service that hangs is ended", || matches!(state(process), None | Some('Z')));
}

/// A stream goes on by CPU before its frames have run out, and returns to a new service.
#[test]
fn a_service_that_stands_still_while_one_plays_is_left_in_time() {
    let _others = beside_others();
    let folder = Folder::new();
    let process = Arc::new(AtomicU32::new(0));
    let (command, noted) = (folder.command(), Arc::clone(&process));
    let make: MakeGpuRenderer = Arc::new(move || {
        let inner = ServiceRenderer::new(command.clone(), ServiceOptions::default());
        Box::new(Watched { inner, process: Arc::clone(&noted) })
    });
    let supervised = SupervisedRenderer::new(make, CpuRenderer::new(1))
        .with_watchdog(WatchdogConfig::LIVE)
        .with_wait_limit(RATE as f32, one_thread);
    let report = supervised.report();
    let report = || report.lock().unwrap().clone();
    let config = StreamConfig { depth: DEPTH, ..StreamConfig::default() };
    let (control, mut audio) = stream::start(&config, Box::new(supervised)).unwrap();
    control.set_patch(0, soft()).unwrap();
    control.send(0, on(45));
    let mut play_until = |what: &str, holds: &dyn Fn() -> bool| {
        let (start, mut sound) = (Instant::now(), Vec::new());
        while !holds() {
            assert!(start.elapsed() < TIMEOUT, "{what}: {:?}", report());
            let [mut left, mut right] = [[0.0; 64]; 2];
            audio.process(&[], &mut left, &mut right);
            sound.extend(left);
            thread::sleep(Duration::from_millis(1));
        }
        sound
    };
    let half_a_second = Instant::now() + Duration::from_millis(500);
    play_until("it plays", &|| Instant::now() > half_a_second && report().on_gpu);
    let first = process.load(Ordering::Relaxed);
    signal(first, Signal::STOP);
    play_until("the CPU goes on", &|| !report().on_gpu);
    let reason = report().lost_because.unwrap();
    let digits: String = reason.chars().filter(char::is_ascii_digit).collect();
    let milliseconds: usize = digits.parse().unwrap();
    assert!(reason.contains("did not finish within"), "{reason}");
    assert!(milliseconds * RATE / 1_000 <= DEPTH, "{reason}");
    let replaced = || report().on_gpu && process.load(Ordering::Relaxed) != first;
    let sound = play_until("the new service plays", &replaced);
    assert!(rms(&sound) > 0.01);
    eventually("the one that stood still is ended", || matches!(state(first), None | Some('Z')));
}

/// Why `prepare` fails with this command.
fn refusal(command: ServiceCommand) -> String {
    let options =
        ServiceOptions { start_deadline: Duration::from_secs(5), ..ServiceOptions::default() };
    let mut renderer = ServiceRenderer::new(command, options);
    let error = renderer.prepare(CAPACITY).unwrap_err().to_string();
    assert_eq!(renderer.submit(&block(true)), Err(RenderError::NotPrepared));
    println!("{error}");
    error
}

#[test]
fn other_programs_are_refused_with_a_reason() {
    let _others = beside_others();
    let folder = Folder::new();
    let with = |program: &str, arguments: &[&str]| {
        let arguments = arguments.iter().map(Into::into).collect();
        refusal(ServiceCommand { program: program.into(), arguments, ..folder.command() })
    };
    assert!(with("/no/such/program", &[]).contains("/no/such/program"));
    assert!(with("sh", &["-c", "echo no GPU >&2; exit 3"]).contains("exit status: 3 (no GPU)"));
    assert!(with("true", &[]).contains("not ready within 5000 ms"));
}

/// The socket of the service that renders on `gpu`.
fn service_socket(folder: &Folder, gpu: Served) -> PathBuf {
    let is_its = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(&gpu.to_string()) && name.ends_with(".socket")
    };
    let mut files = std::fs::read_dir(folder.path()).unwrap().map(|file| file.unwrap().path());
    files.find(is_its).unwrap()
}

#[test]
fn other_services_are_refused_with_a_reason() {
    let _others = beside_others();
    let folder = Folder::new();
    drop(folder.prepared());
    let path = service_socket(&folder, GPU);
    eventually("it ends when nobody is left", || !path.exists());
    let listener = UnixListener::bind(&path).unwrap();
    let impostor = thread::spawn(move || {
        let refusal = [&b"ONDAIRYM"[..], &9_u64.to_le_bytes(), b"too young"].concat();
        for answer in [&b"0123456789abcdef"[..], &refusal] {
            let (mut socket, _) = listener.accept().unwrap();
            let read = socket.read(&mut [0; 512]).unwrap();
            assert!(read > 16);
            socket.write_all(answer).unwrap();
            // Until the client has gone.
            let _ = socket.read_to_end(&mut Vec::new());
        }
    });
    assert!(refusal(folder.command()).contains("another protocol"));
    assert_eq!(refusal(folder.command()), "too young");
    impostor.join().unwrap();
}

#[test]
fn a_folder_that_others_may_enter_is_refused() {
    let _others = beside_others();
    let folder = Folder::new();
    std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755)).unwrap();
    assert!(refusal(folder.command()).contains("other users may enter it"));
    let inside = Folder::new();
    let file = inside.path().join("file");
    std::fs::write(&file, "").unwrap();
    assert!(refusal(ServiceCommand { folder: file, ..folder.command() }).contains("through"));
}

#[test]
fn a_missing_gpu_is_refused_with_its_own_message() {
    let _others = beside_others();
    let folder = Folder::new();
    // No machine has that many GPUs.
    let said = refusal(ServiceCommand { served: vec![Served::Cuda(4_096)], ..folder.command() });
    assert!(said.contains("no NVIDIA driver") || said.contains("no CUDA device 4096"), "{said}");
}

/// Clients are spread over the GPUs, and move when one of them cannot be used.
#[test]
fn several_gpus_share_the_clients() {
    let _others = beside_others();
    let folder = Folder::new();
    let command = ServiceCommand { served: vec![GPU, OTHER_GPU], ..folder.command() };
    let options =
        ServiceOptions { start_deadline: Duration::from_secs(20), ..ServiceOptions::default() };
    let counts = || {
        let clients =
            |gpu| status(folder.path(), gpu, TIMEOUT).unwrap().map_or(0, |it| it.clients.len());
        [clients(GPU), clients(OTHER_GPU)]
    };
    let mut clients: Vec<ServiceRenderer> = Vec::new();
    for count in 1..=2 {
        let mut client = ServiceRenderer::new(command.clone(), options);
        client.prepare(CAPACITY).unwrap();
        clients.push(client);
        eventually("the client is counted", || counts().iter().sum::<usize>() == count);
    }
    assert_eq!(counts(), [1, 1]);
    // The first GPU is lost for good: no service can be started in place of the one that ends.
    let services = clients.iter().map(|client| client.process_id().unwrap());
    let services: Vec<u32> = services.collect();
    let socket = service_socket(&folder, GPU);
    signal(services[0], Signal::KILL);
    eventually("it ends", || matches!(state(services[0]), None | Some('Z')));
    std::fs::remove_file(&socket).unwrap();
    std::fs::create_dir(&socket).unwrap();
    let mut buses = Buses::new(CAPACITY.buses);
    for (client, service) in clients.iter_mut().zip(&services) {
        match *service == services[0] {
            true => {
                client.render(&block(true), &mut buses).unwrap_err();
                client.prepare(CAPACITY).unwrap();
            }
            false => assert!(client.render(&block(true), &mut buses).is_ok()),
        }
        assert_eq!(client.process_id(), Some(services[1]));
    }
    eventually("they are all on the other one", || counts() == [0, 2]);
}

#[test]
fn an_unprepared_client_refuses() {
    let _others = beside_others();
    let folder = Folder::new();
    let mut renderer = folder.client();
    let mut buses = Buses::new(CAPACITY.buses);
    renderer.reset();
    assert_eq!(renderer.submit(&block(true)), Err(RenderError::NotPrepared));
    assert_eq!(renderer.collect(&mut buses), Err(RenderError::NotPrepared));
    renderer.prepare(CAPACITY).unwrap();
    assert_eq!(renderer.render(&block(true), &mut buses), Ok(8 * 20));
}
