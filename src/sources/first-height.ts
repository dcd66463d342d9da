/**
 * The first height whose block isn't before a time, found by halving.
 * @param low a height that's known to be before it, or the lowest there is
 * @param high a height that's known not to be before it
 * @param timeOf seconds since 1970, never falling with the height
 */
export async function firstHeightAt(
  time: number,
  low: number,
  high: number,
  timeOf: (height: number) => Promise<number>,
): Promise<number> {
  let before = low;
  let after = high;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if ((await timeOf(middle)) < time) before = middle;
    else after = middle;
  }
  return after;
}
