import { dayOf } from '#base';
import type { SourceInput } from '#scoring/inputs/input';
import type { InputState, SourcePosition } from '#scoring/inputs/store';
import { IMPORT } from '#scoring/model';

/** A balance whose sums match the chain's own. */
export const MATCHES_CHAIN = 'sound';

/** Whether an input's balances were compared with the chain's own, and differed. */
export function differsFromChain({ verdict }: Pick<InputState, 'verdict'>): boolean {
  return verdict !== undefined && verdict !== MATCHES_CHAIN;
}

/** What chains have provided for some rules. */
export interface SourceEnds {
  /** How far every input of a source is read; absent for sources not read yet. */
  readonly positions: ReadonlyMap<string, SourcePosition>;
  /** Inputs whose balances may pay, as `SOURCE INPUT`. */
  readonly sound: ReadonlySet<string>;
  /**
   * How far each input is read, as `SOURCE INPUT`: what comes after that belongs to later ends. Absent if the
   * evidence is of the same moment anyway.
   */
  readonly heights?: ReadonlyMap<string, number>;
}

/** For rules that only use imports. */
export const NO_ENDS: SourceEnds = { positions: new Map(), sound: new Set() };

/** @param wanted the rules' inputs, by source */
export function sourceEnds(
  wanted: ReadonlyMap<string, readonly SourceInput[]>,
  states: readonly InputState[],
): SourceEnds {
  const known = new Map(states.map((each) => [inputKey(each.source, each.name), each]));
  const positions = new Map<string, SourcePosition>();
  const sound = new Set<string>();
  for (const [source, inputs] of wanted) {
    const own = inputs.map(({ name }) => known.get(inputKey(source, name)));
    const found = own.filter((each) => each !== undefined);
    if (found.length === own.length) {
      const all = found.map(({ position }) => position);
      positions.set(
        source,
        all.reduce((least, each) => (each.height < least.height ? each : least)),
      );
    }
    for (const { name, verdict } of found) {
      if (verdict === MATCHES_CHAIN) sound.add(inputKey(source, name));
    }
  }
  const heights = new Map([...known].map(([key, { position }]) => [key, position.height]));
  return { positions, sound, heights };
}

export function inputKey(source: string, input: string): string {
  return `${source} ${input}`;
}

/** The midnight up to which a source is complete, as the day that it begins. */
export function midnightOf({ positions }: SourceEnds, source: string, asOf: number): number {
  if (source === IMPORT) return asOf;
  const position = positions.get(source);
  return position === undefined ? 0 : dayOf(position.time);
}

/** As a score version stores it: JSON, equal for equal ends. */
export function endsText({ positions }: SourceEnds): string {
  const sorted = [...positions].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(sorted.map(([id, { height, hash, time }]) => [id, height, hash, time]));
}

/** The sources' positions, from the result of `endsText`. */
export function readEnds(text: string): (readonly [source: string, SourcePosition])[] {
  return partsOf(text).map(([id, height, hash, time]) => [id, { height, hash, time }]);
}

/** Whether any source has a midnight between them. */
export function isAnotherDay(one: string, other: string): boolean {
  return one !== other && daysText(one) !== daysText(other);
}

function daysText(text: string): string {
  return partsOf(text)
    .map(([id, , , time]) => `${id} ${dayOf(time)}`)
    .join();
}

function partsOf(text: string) {
  return JSON.parse(text) as readonly (readonly [string, number, string | null, number])[];
}
