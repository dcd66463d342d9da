import { formatTime } from '#base';
import type { SourceEvent, SourcePosition } from '#scoring';

/** What differs between two answers, as a sentence without its full stop. @param one, other names of the nodes */
export type Difference = (one: string, other: string) => string;

/** How two nodes' answers to the same question are compared. */
export interface AnswerComparison<T> {
  /** What was asked, to continue "contradict each other about eth, ": `blocks 101–200`. */
  readonly about: string;
  /** @returns undefined if the answers agree */
  differenceOf(one: T, other: T): Difference | undefined;
  /** Which of two answers that agree both nodes vouch for, where one may reach further; the first by default. */
  vouchedFor?(one: T, other: T): T;
}

/** A part of a list that two nodes gave. */
interface ListedThing {
  readonly height: number;
  /** Its place. Where several share one, each is compared with the one in its turn. */
  readonly key: string;
  /** All that the nodes must agree on. */
  readonly text: string;
}

interface ListWords {
  /** `log` */
  readonly thing: string;
  /** Where things are: `block 7`, or `blocks 7–9`. */
  readonly at: (first: number, last: number) => string;
}

/** What each of two lists lacks, and in what else they differ; undefined if that's nothing. */
export function listDifference(
  list: readonly ListedThing[],
  otherList: readonly ListedThing[],
  { thing, at }: ListWords,
): Difference | undefined {
  const [one, other] = [numbered(list), numbered(otherList)];
  const own = new Map(one.map((each) => [each.key, each]));
  const others = new Map(other.map((each) => [each.key, each]));
  const onlyOne = one.filter(({ key }) => !others.has(key));
  const onlyOther = other.filter(({ key }) => !own.has(key));
  const changed = one.filter(({ key, text }) => (others.get(key)?.text ?? text) !== text);
  if (onlyOne.length + onlyOther.length + changed.length === 0) return undefined;
  const counted = (things: readonly ListedThing[]) => {
    const heights = things.map(({ height }) => height);
    const [first, last] = heights.reduce(
      ([least, most], each) => [Math.min(least, each), Math.max(most, each)],
      [Number.POSITIVE_INFINITY, 0],
    );
    return `${things.length} ${thing}${things.length === 1 ? '' : 's'} of ${at(first, last)}`;
  };
  return (name, otherName) =>
    [
      ...(onlyOne.length > 0 ? [`${otherName} lacks ${counted(onlyOne)} that ${name} has`] : []),
      ...(onlyOther.length > 0
        ? [`${name} lacks ${counted(onlyOther)} that ${otherName} has`]
        : []),
      ...(changed.length > 0 ? [`${name} and ${otherName} differ in ${counted(changed)}`] : []),
    ].join('; ');
}

/** With keys that are unique. */
function numbered(things: readonly ListedThing[]): ListedThing[] {
  const seen = new Map<string, number>();
  return things.map((each) => {
    const times = (seen.get(each.key) ?? 0) + 1;
    seen.set(each.key, times);
    return { ...each, key: `${each.key} ${times}` };
  });
}

/** `block 7`, or `blocks 7–9`. */
export function heightsOf(unit: string): ListWords['at'] {
  return (first, last) => (first === last ? `${unit} ${first}` : `${unit}s ${first}–${last}`);
}

/** What differs between the events that two nodes gave. @param at see `listDifference` */
export function eventDifference(
  one: readonly SourceEvent[],
  other: readonly SourceEvent[],
  at: (first: number, last: number) => string,
): Difference | undefined {
  if (JSON.stringify(one) === JSON.stringify(other)) return undefined;
  return listDifference(listed(one), listed(other), { thing: 'event', at });
}

/** Several events may share a place, as one transfer changes two balances. */
function listed(events: readonly SourceEvent[]) {
  return events.map((event) => {
    const { height, place, input, wallet } = event;
    return {
      height,
      key: `${height} ${place} ${input} ${wallet.address}`,
      text: JSON.stringify(event),
    };
  });
}

/** How to compare what two nodes say of a height. @param unit `block`, `round` or `slot` */
export function positionComparison(unit: string, height: number): AnswerComparison<SourcePosition> {
  return {
    about: `${unit} ${height}`,
    differenceOf: (one, other) => positionDifference(unit, one, other),
  };
}

/** What differs between two nodes' positions; undefined if nothing does. Points depend on times, too. */
export function positionDifference(
  unit: string,
  one: SourcePosition,
  other: SourcePosition,
): Difference | undefined {
  const { height } = one;
  if (height !== other.height) {
    return (name, otherName) =>
      `the last ${unit} up to there is ${height} at ${name} and ${other.height} at ${otherName}`;
  }
  if (one.hash !== other.hash) {
    return (name, otherName) =>
      `${unit} ${height} is ${one.hash} at ${name} and ${other.hash} at ${otherName}`;
  }
  return one.time === other.time ? undefined : timesDiffer(unit, height, one.time, other.time);
}

export function timesDiffer(
  unit: string,
  height: number,
  one: number | undefined,
  other: number | undefined,
): Difference {
  const shown = (time: number | undefined) => (time === undefined ? 'unknown' : formatTime(time));
  return (name, otherName) =>
    `the time of ${unit} ${height} is ${shown(one)} at ${name} and ${shown(other)} at ${otherName}`;
}
