// MIDI inputs by Web MIDI. Channels are passed on: the engine knows MPE.

export class MidiInputs {
  constructor(play) {
    this.play = play;
  }

  /** Asks for the inputs, plays all of them, also later ones, and returns their names. */
  async open() {
    if (!navigator.requestMIDIAccess) throw new Error("this browser has no Web MIDI");
    this.access ??= await navigator.requestMIDIAccess();
    const listen = () => {
      for (const input of this.access.inputs.values()) input.onmidimessage = ({ data }) => this.hear(data);
    };
    listen();
    this.access.onstatechange = listen;
    return [...this.access.inputs.values()].map((input) => input.name);
  }

  /** Passes on a message. */
  hear([status, first = 0, second = 0]) {
    const event = midiEvent(status, first, second);
    if (event) this.play(event);
  }
}

/** The event of a MIDI message, if there is one. */
export function midiEvent(status, first, second) {
  const channel = status & 15;
  const value = second / 127;
  switch (status >> 4) {
    case 8:
      return { type: "noteOff", key: first, velocity: value, channel };
    case 9:
      return { type: second > 0 ? "noteOn" : "noteOff", key: first, velocity: second > 0 ? value : 0.5, channel };
    case 10:
      return { type: "keyPressure", key: first, value, channel };
    case 11:
      return { type: "control", controller: first, value, channel };
    case 13:
      return { type: "pressure", value: first / 127, channel };
    case 14: {
      // The middle is 8192; both ends are reached.
      const bend = (second << 7 | first) - 8192;
      return { type: "bend", value: bend / (bend > 0 ? 8191 : 8192), channel };
    }
    default:
      return undefined;
  }
}
