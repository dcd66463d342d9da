import type { Condition } from '#scoring/model';
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
export function integerOf(value: ArgumentValue | undefined): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'string' && INTEGER.test(value) ? BigInt(value) : undefined;
}
