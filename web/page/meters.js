// The numbers that an instrument reports for display. See `engine/src/view/points.rs` for their order.

/** Numbers before the points, of each point, and the most there can be. */
export const HEAD = 14;
export const POINT = 4;
export const MOST = HEAD + POINT * 480;

/** Gives the numbers names. `points` has the pitch, level, unfiltered level and pan of each point. */
export function readMeters(numbers) {
  const count = numbers[HEAD - 1];
  return {
    peaks: [numbers[0], numbers[1]],
    voices: numbers[2],
    partials: numbers[3],
    sampleRate: numbers[4],
    isDown: (key) => ((numbers[5 + (key >> 4)] >> (key & 15)) & 1) === 1,
    points: numbers.subarray(HEAD, HEAD + POINT * count),
  };
}
