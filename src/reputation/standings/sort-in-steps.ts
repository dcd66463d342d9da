/** Numbers sorted, or merged, per step. */
const AT_ONCE = 2_048;

/** Sorts in place and yields after each short step, whatever the length. */
export function* sortInSteps(
  numbers: Uint32Array,
  compare: (one: number, other: number) => number,
): Generator<undefined> {
  for (let from = 0; from < numbers.length; from += AT_ONCE) {
    numbers.subarray(from, from + AT_ONCE).sort(compare);
    if (numbers.length > AT_ONCE) yield;
  }
  for (let width = AT_ONCE; width < numbers.length; width *= 2) {
    for (let from = 0; from + width < numbers.length; from += 2 * width) {
      yield* merge(numbers.subarray(from, from + 2 * width), width, compare);
    }
  }
}

/** Merges two sorted runs, the second starting at `width`. */
function* merge(
  numbers: Uint32Array,
  width: number,
  compare: (one: number, other: number) => number,
): Generator<undefined> {
  const first = numbers.slice(0, width);
  let [one, other] = [0, width];
  for (let to = 0; one < first.length; to++) {
    const isOther =
      other < numbers.length && compare(first[one] as number, numbers[other] as number) > 0;
    numbers[to] = (isOther ? numbers[other++] : first[one++]) as number;
    if (to % AT_ONCE === AT_ONCE - 1) yield;
  }
}
