// Short sounds, made here. Off until they are switched on.

import { kept } from "./dom.js";

const NOTES = { card: [[180, 0, 0.05]], turn: [[660, 0, 0.12], [880, 0.12, 0.16]], over: [[523, 0, 0.2], [659, 0.2, 0.2], [784, 0.4, 0.4]] };
const LOUDNESS = 0.08;
let context = null;

export const soundsOn = () => kept("sounds") === "on";

/** Play a sound by its name, if sounds are on. */
export function sound(name) {
  if (!soundsOn()) return;
  context ??= new AudioContext();
  for (const [pitch, after, length] of NOTES[name]) {
    const begin = context.currentTime + after;
    const tone = new OscillatorNode(context, { frequency: pitch, type: "triangle" });
    const volume = new GainNode(context, { gain: LOUDNESS });
    volume.gain.exponentialRampToValueAtTime(0.001, begin + length);
    tone.connect(volume).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + length);
  }
}
