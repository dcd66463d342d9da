import {
  type AnswerComparison,
  type Difference,
  heightsOf,
  listDifference,
  positionDifference,
  timesDiffer,
} from '#sources/node/disagreement';
import { type EvmHeader, type EvmLog, logText, type RangeAnswer } from './log.ts';
import type { BlockTimes } from './node/headers.ts';
import type { BlockRange } from './node/range.ts';

const blocks = heightsOf('block');

/** How to compare what two nodes say of a range. */
export function rangeComparison({ from, to }: BlockRange): AnswerComparison<RangeAnswer> {
  return {
    about: blocks(from + 1, to),
    differenceOf,
    // Times that a single node tells prove nothing.
    vouchedFor: (one, other) =>
      other.logs.every(({ time }) => time !== undefined)
        ? one
        : { ...one, logs: one.logs.map((log) => ({ ...log, time: undefined })) },
  };
}

/** How to compare the block times that two nodes tell. */
export function timesComparison({ from, to }: BlockRange): AnswerComparison<BlockTimes> {
  return {
    about: blocks(from + 1, to),
    differenceOf(one, other) {
      const block = [...one.keys()].find((each) => one.get(each) !== other.get(each));
      if (block === undefined) return undefined;
      return timesDiffer('block', block, one.get(block), other.get(block));
    },
  };
}

function differenceOf(one: RangeAnswer, other: RangeAnswer): Difference | undefined {
  if (isSameRange(one, other)) return undefined;
  return (
    headerDifference(one.before, other.before) ??
    headerDifference(one.last, other.last) ??
    listDifference(listed(one.logs), listed(other.logs), { thing: 'log', at: blocks }) ??
    timeDifference(one.logs, other.logs)
  );
}

/** Block times aren't compared in logs without them, since not every node puts them there. */
function isSameRange(one: RangeAnswer, other: RangeAnswer): boolean {
  return (
    headerDifference(one.before, other.before) === undefined &&
    headerDifference(one.last, other.last) === undefined &&
    one.logs.length === other.logs.length &&
    one.logs.every((log, place) => isSameLog(log, other.logs[place] as EvmLog))
  );
}

function isSameLog(one: EvmLog, other: EvmLog): boolean {
  return logText(one) === logText(other) && isSameTime(one, other);
}

function isSameTime({ time: one }: EvmLog, { time: other }: EvmLog): boolean {
  return one === undefined || other === undefined || one === other;
}

function headerDifference(
  one: EvmHeader | undefined,
  other: EvmHeader | undefined,
): Difference | undefined {
  if (one === undefined || other === undefined) return undefined;
  return positionDifference('block', one, other);
}

/** Between lists of the same logs. */
function timeDifference(one: readonly EvmLog[], other: readonly EvmLog[]): Difference | undefined {
  for (const [place, log] of one.entries()) {
    const otherLog = other[place] as EvmLog;
    if (!isSameTime(log, otherLog)) return timesDiffer('block', log.block, log.time, otherLog.time);
  }
  return undefined;
}

/** Some chains number logs from the start in each transaction. */
function listed(logs: readonly EvmLog[]) {
  return logs.map((log) => {
    const { block, transactionIndex, index } = log;
    return { height: block, key: `${block} ${transactionIndex} ${index}`, text: logText(log) };
  });
}

type Balances = readonly bigint[] | undefined;

/** How to compare the balances that two nodes tell. */
export function balanceComparison(
  addresses: readonly string[],
  height: number,
): AnswerComparison<Balances> {
  return {
    about: `balances at block ${height}`,
    differenceOf(one, other) {
      if (one?.join() === other?.join()) return undefined;
      const place = addresses.findIndex((_, at) => one?.[at] !== other?.[at]);
      const shown = (balances: Balances) => balances?.[place] ?? 'unknown';
      return (name, otherName) =>
        `the balance of ${addresses[place]} is ${shown(one)} at ${name} and ${shown(other)} at ${otherName}`;
    },
  };
}
