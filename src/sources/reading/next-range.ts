import type { InputState, SourcePosition } from '#scoring';

/** Inputs at the same height, and what to read for them next. */
export interface Lane {
  readonly inputs: readonly InputState[];
  readonly from: SourcePosition;
  readonly upTo: number;
}

/**
 * Picks what to read next. Inputs at the same height are read together; those that are behind are read up to
 * the others and go on with them from there. Inputs of live rules come first, so that adding a rule doesn't
 * hold up the others.
 * @param states of the source's inputs that are wanted
 * @param isLive whether a live rule needs an input
 * @param end the newest final height
 * @returns undefined if all have reached the end
 */
export function nextRangeOf(
  states: readonly InputState[],
  isLive: (name: string) => boolean,
  end: number,
): Lane | undefined {
  const behind = states.filter(({ position }) => position.height < end);
  const live = behind.filter(({ name }) => isLive(name));
  const [first] = (live.length > 0 ? live : behind).toSorted(
    (one, other) => one.position.height - other.position.height,
  );
  if (first === undefined) return undefined;
  const { position: from } = first;
  const inputs = states.filter(
    ({ position }) => position.height === from.height && position.hash === from.hash,
  );
  const ahead = states.map(({ position }) => position.height).filter((each) => each > from.height);
  return { inputs, from, upTo: Math.min(end, ...ahead) };
}
