//! Drops a file on a window, as a file manager does: the source's side of XDND, version 5.

use crate::Screen;
use std::path::Path;
use std::time::{Duration, Instant};
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::*;
use x11rb::wrapper::ConnectionExt as _;

const VERSION: u32 = 5;

impl Screen {
    fn atom(&self, name: &str) -> Atom {
        self.connection.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }

    /// The innermost window under a place that takes drops.
    fn drop_target(&self, [x, y]: [i16; 2]) -> Option<Window> {
        let aware = self.atom("XdndAware");
        let (mut window, mut target) = (self.root, None);
        loop {
            let at = self.connection.translate_coordinates(self.root, window, x, y);
            let child = at.unwrap().reply().unwrap().child;
            if child == x11rb::NONE {
                return target;
            }
            let property = self.connection.get_property(false, child, aware, AtomEnum::ANY, 0, 1);
            if property.unwrap().reply().unwrap().value_len > 0 {
                target = Some(child);
            }
            window = child;
        }
    }

    /// Drags a file over the window at a place and drops it there. `hovering` is called when the window
    /// has said that it would take it. Returns whether the window took it.
    pub fn drop_file(&self, at: [i16; 2], file: &Path, hovering: impl FnOnce()) -> bool {
        let target = self.drop_target(at).expect("a window that takes drops");
        let source = self.open([1, 1]);
        // Out of the way of the pointer.
        self.connection
            .configure_window(source, &ConfigureWindowAux::new().x(2_590).y(1_690))
            .unwrap();
        let selection = self.atom("XdndSelection");
        self.connection.set_selection_owner(source, selection, x11rb::CURRENT_TIME).unwrap();
        let uri_list = self.atom("text/uri-list");
        let send = |name: &str, data: [u32; 4]| {
            let data = [source, data[0], data[1], data[2], data[3]];
            let message = ClientMessageEvent::new(32, target, self.atom(name), data);
            self.connection.send_event(false, target, EventMask::NO_EVENT, message).unwrap();
            self.sync();
        };
        let place = (u32::from(at[0] as u16) << 16) | u32::from(at[1] as u16);
        let copy = self.atom("XdndActionCopy");
        send("XdndEnter", [VERSION << 24, uri_list, 0, 0]);
        send("XdndPosition", [0, place, x11rb::CURRENT_TIME, copy]);
        let mut uri = String::from("file://");
        for byte in file.to_str().unwrap().bytes() {
            match byte {
                b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => {
                    uri.push(byte.into());
                }
                _ => uri += &format!("%{byte:02X}"),
            }
        }
        uri += "\r\n";
        let [status, finished] = ["XdndStatus", "XdndFinished"].map(|name| self.atom(name));
        let give_up = Instant::now() + Duration::from_mins(5);
        let mut hovering = Some(hovering);
        loop {
            assert!(Instant::now() < give_up, "the window does not answer");
            let Some(event) = self.connection.poll_for_event().unwrap() else {
                std::thread::sleep(Duration::from_millis(5));
                continue;
            };
            match event {
                Event::SelectionRequest(request) => self.hand_over(&request, uri.as_bytes()),
                Event::ClientMessage(message) if message.type_ == status => {
                    let accepted = message.data.as_data32()[1] & 1 == 1;
                    if !accepted {
                        self.close(source);
                        return false;
                    }
                    if let Some(hovering) = hovering.take() {
                        hovering();
                        send("XdndDrop", [0, x11rb::CURRENT_TIME, 0, 0]);
                    }
                }
                Event::ClientMessage(message) if message.type_ == finished => {
                    let accepted = message.data.as_data32()[1] & 1 == 1;
                    self.close(source);
                    return accepted;
                }
                _ => {}
            }
        }
    }

    /// Answers the request for what is dragged.
    fn hand_over(&self, request: &SelectionRequestEvent, bytes: &[u8]) {
        self.connection
            .change_property8(
                PropMode::REPLACE,
                request.requestor,
                request.property,
                request.target,
                bytes,
            )
            .unwrap();
        let notice = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: request.property,
        };
        self.connection.send_event(false, request.requestor, EventMask::NO_EVENT, notice).unwrap();
        self.sync();
    }
}
