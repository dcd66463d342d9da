import { formatTime } from '#base';
import type { SourcePosition } from '#scoring';
import type { AnswerComparison, Difference } from './disagreement.ts';

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
  const told = (time: number | undefined) => (time === undefined ? 'unknown' : formatTime(time));
  return (name, otherName) =>
    `the time of ${unit} ${height} is ${told(one)} at ${name} and ${told(other)} at ${otherName}`;
}
