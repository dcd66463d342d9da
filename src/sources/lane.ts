import type { InputState, SourcePosition } from '#core/scoring/reading/store';

/** Inputs that are equally far, and what is read of them next. */
export interface Lane {
  readonly inputs: readonly InputState[];
  readonly from: SourcePosition;
  readonly upTo: number;
}

/**
 * What to read next. Inputs that stand at one height are read together; those that are behind are
 * read up to where others are, and go on with them from there. What live rules stand on comes first,
 * so that a rule that is added holds up no other.
 * @param states those of the source that are wanted
 * @param isLive whether a rule that is live needs an input
 * @param end the newest final height
 * @returns undefined when all of them are there
 */
export function nextLane(
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
