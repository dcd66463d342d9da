import { POINTS_MAX } from '#scoring/grammar/give';
import type { Condition, Points } from '#scoring/model';
import { type ArgumentValue, type EvidenceEvent, textOf } from './event.ts';

/** Whether an event meets all conditions. A missing argument meets none. */
export type Matcher = (event: EvidenceEvent) => boolean;

/** Compiles a rule's conditions once, as they're checked for each event. */
export function compileWhere(conditions: readonly Condition[]): Matcher {
  const tests = conditions.map((each) => [each.argument, compile(each)] as const);
  return ({ args }) =>
    tests.every(([name, test]) => {
      const value = args.get(name);
      return value !== undefined && test(value);
    });
}

function compile({ comparison, operands }: Condition): (value: ArgumentValue) => boolean {
  const [operand = ''] = operands;
  if (comparison === 'eq') return (value) => textOf(value) === operand;
  if (comparison === 'ne') return (value) => textOf(value) !== operand;
  if (comparison === 'in') {
    const texts = new Set(operands);
    return (value) => texts.has(textOf(value));
  }
  const bound = BigInt(operand);
  const isMet = ORDERS[comparison];
  return (value) => {
    const integer = integerOf(value);
    return integer !== undefined && isMet(integer, bound);
  };
}

const ORDERS = {
  gt: (value: bigint, bound: bigint) => value > bound,
  gte: (value: bigint, bound: bigint) => value >= bound,
  lt: (value: bigint, bound: bigint) => value < bound,
  lte: (value: bigint, bound: bigint) => value <= bound,
} as const;

const INTEGER = /^-?(0|[1-9]\d{0,99})$/;

/** A value as an integer; imported events may have it as text. */
function integerOf(value: ArgumentValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'string' && INTEGER.test(value) ? BigInt(value) : undefined;
}

/** An event's worth before caps and discounts. */
export function pointsOf(points: Points, { args }: EvidenceEvent): number {
  if (points.kind === 'fixed') return points.points;
  const { per, each } = points;
  const amount = integerOf(args.get(points.argument));
  if (amount === undefined || amount < per) return 0;
  const worth = (amount / per) * each;
  const most = points.most ?? POINTS_MAX;
  // An imported amount may be anything; the rules were only checked for amounts that a chain can
  // produce.
  if (worth > most) return Number(most);
  if (worth < -POINTS_MAX) return Number(-POINTS_MAX);
  return Number(worth);
}
