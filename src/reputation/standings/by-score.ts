const DIGIT_BITS = 16;
const DIGIT = 1 << DIGIT_BITS;

/**
 * Sorts by descending score, stably. A radix sort, because comparing ten million members twenty
 * times each would take longer than the rest of the start.
 * @param scores non-negative integers, in the desired order of equal ones
 * @returns indexes into `scores`
 */
export function sortByScore(scores: Float64Array): Uint32Array {
  const size = scores.length;
  let highest = 0;
  for (let i = 0; i < size; i++) highest = Math.max(highest, scores[i] as number);
  let from = new Uint32Array(size);
  for (let i = 0; i < size; i++) from[i] = i;
  let to = new Uint32Array(size);
  const digits = new Uint16Array(size);
  // Least significant digit first: each pass preserves the order of the previous ones.
  for (let unit = 1; unit <= highest; unit *= DIGIT) {
    const places = new Uint32Array(DIGIT + 1);
    for (let i = 0; i < size; i++) {
      const score = scores[from[i] as number] as number;
      const digit = Math.floor((highest - score) / unit) & (DIGIT - 1);
      digits[i] = digit;
      places[digit + 1] = (places[digit + 1] as number) + 1;
    }
    for (let i = 1; i <= DIGIT; i++) places[i] = (places[i] as number) + (places[i - 1] as number);
    for (let i = 0; i < size; i++) {
      const digit = digits[i] as number;
      const place = places[digit] as number;
      to[place] = from[i] as number;
      places[digit] = place + 1;
    }
    [from, to] = [to, from];
  }
  return from;
}
