const DIGIT_BITS = 16;
const DIGIT = 1 << DIGIT_BITS;

/**
 * Sorts members by falling score and keeps the order of equal ones: a radix sort, because comparing
 * ten million members twenty times each would take longer than everything else at the start.
 * @param members in the order that equal scores shall have
 * @param scoreOf a member's score, a non-negative integer
 */
export function sortByScore(
  members: Uint32Array,
  scoreOf: (member: number) => number,
): Uint32Array {
  let highest = 0;
  for (const member of members) highest = Math.max(highest, scoreOf(member));
  const size = members.length;
  let from: Uint32Array = members;
  let to: Uint32Array = new Uint32Array(size);
  const digits = new Uint16Array(size);
  // Least digit first: each pass keeps the order that the passes before it made.
  for (let unit = 1; unit <= highest; unit *= DIGIT) {
    const places = new Uint32Array(DIGIT + 1);
    for (let i = 0; i < size; i++) {
      const digit = Math.floor((highest - scoreOf(from[i] as number)) / unit) & (DIGIT - 1);
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
