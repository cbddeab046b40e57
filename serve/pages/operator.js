// The operator's page: seats, latency and load, once a second.

const token = new URLSearchParams(location.hash.slice(1)).get("token");
const headers = token ? { Authorization: `Bearer ${token}` } : {};
const part = (id) => document.getElementById(id);

const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const ms = (value) => `${value.toFixed(1)} ms`;
const bytes = (value) => `${(value / 1e6).toFixed(1)} MB`;
const time = (seconds) => {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

/** Elements with texts; what visitors sent is never read as HTML. */
function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

function show(status) {
  part("version").textContent = `${status.version}${status.jam ? ", jam" : ""}`;
  const numbers = [
    ["Seats", `${status.seats.length} of ${status.mostSeats}`],
    ["Up", time(status.uptimeS)],
    ["Load", `${percent(status.load)} of ${status.threads}`],
    ["GPU", status.gpu ? `${percent(status.gpu.busy)}, ${status.gpu.clients}` : "–"],
    ["Deadlines missed", `${status.missed} of ${status.blocks}`],
    ["Left out", status.skipped],
    ["Sound sent", bytes(status.bytes)],
    ["Events", status.events],
    ["No seat", status.full],
    ["Forbidden", status.forbidden],
    ["Dropped", status.dropped],
    ["Turned away", status.turnedAway],
  ];
  part("numbers").replaceChildren(
    ...numbers.map(([name, value]) => element("div", element("dt", name), element("dd", String(value)))),
  );
  const rows = status.seats.map((seat) => [
    seat.id, time(seat.ageS), seat.patch, seat.renderer, seat.datagrams ? "datagrams" : "WebSocket", seat.voices, seat.partials, percent(seat.load),
    ms(seat.client.latencyMs), ms(seat.client.bufferMs), ms(seat.client.roundTripMs), seat.client.late,
    seat.missed, seat.dropped,
  ]);
  part("seats").replaceChildren(
    ...rows.map((row) => element("tr", ...row.map((value) => element("td", String(value))))),
  );
}

async function ask() {
  try {
    const answer = await fetch("status", { headers });
    if (!answer.ok) throw new Error(await answer.text());
    show(await answer.json());
    part("message").textContent = "";
  } catch (error) {
    part("message").textContent = `No answer: ${error.message}`;
  }
  setTimeout(ask, 1000);
}

ask();
