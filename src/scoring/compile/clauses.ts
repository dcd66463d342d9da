import { daysOf } from '#base';
import { isDraft, type TokenAmount } from '#scoring/amount';
import { quoted } from '#scoring/faults';
import type { ConditionText, RuleText } from '#scoring/grammar/file';
import { POINTS_MAX } from '#scoring/grammar/give';
import { type Comparison, type Condition, type Give, isOrdered, type Points } from '#scoring/model';
import { draftFault, unitsOf, withTokenAmount } from '#scoring/shape/amount';
import { expected, unknownWord } from '#scoring/shape/scalar';
import { type Argument, type ArgumentKind, argumentNamed, argumentNames } from '#scoring/signature';
import type { SourceKind } from '#scoring/source-kind';
import type { Path } from '#scoring/tree';
import { type BuildContext, readWallet } from './context.ts';

const INTEGER = /^-?\d{1,100}$/;
const HEX = /^0x([0-9a-fA-F]{2})*$/;

type Operand = string | TokenAmount;

function isMany(operand: Operand | readonly Operand[]): operand is readonly Operand[] {
  return Array.isArray(operand);
}

/** The argument that a rule names, if it exists and rules can use it. */
export function usableArgument(
  { faults }: BuildContext,
  path: Path,
  args: readonly Argument[] | undefined,
  name: string,
): Pick<Argument, 'kind' | 'max'> | undefined {
  if (args === undefined) {
    if (!/^\d/.test(name)) return { kind: 'any', max: undefined };
    faults.at(path, 'Refer to the arguments of an imported event by name.');
    return undefined;
  }
  const argument = argumentNamed(args, name);
  if (argument === undefined) {
    faults.at(path, unknownWord('argument', name, argumentNames(args)));
    return undefined;
  }
  if (argument.kind === 'hash') {
    faults.at(path, `The log only has a hash of the indexed ${argument.type} ${quoted(name)}.`);
    return undefined;
  }
  if (argument.kind === 'composite') {
    faults.at(path, `Rules can't use ${quoted(name)} because its type is ${argument.type}.`);
    return undefined;
  }
  return argument;
}

/** A rule's conditions. Invalid ones are recorded as faults and omitted. */
export function buildWhere(
  context: BuildContext,
  path: Path,
  args: readonly Argument[] | undefined,
  texts: Readonly<Record<string, ConditionText>>,
  chain: SourceKind | undefined,
): Condition[] {
  const conditions: Condition[] = [];
  for (const [name, text] of Object.entries(texts)) {
    const here = [...path, name];
    const argument = usableArgument(context, here, args, name);
    if (argument === undefined) continue;
    const { kind } = argument;
    const comparisons = Object.entries(text) as [Comparison, Operand | readonly Operand[]][];
    if (comparisons.length === 0) {
      context.faults.at(here, 'A condition needs one of eq, ne, gt, gte, lt, lte, in.');
    }
    for (const [comparison, operand] of comparisons) {
      const at = [...here, comparison];
      const isInteger = isOrdered(comparison);
      if (isInteger && kind !== 'integer' && kind !== 'any') {
        context.faults.at(at, `"${comparison}" is for integers; ${quoted(name)} is ${kind}.`);
        continue;
      }
      const many = isMany(operand);
      const all = many ? operand : [operand];
      const operands = all.map((each, index) =>
        readOperand(context, many ? [...at, index] : at, isInteger ? 'integer' : kind, each, chain),
      );
      const read = operands.filter((each) => each !== undefined);
      const amounts = all.map((each) => (typeof each === 'string' ? undefined : each));
      const known = amounts.some((each) => each !== undefined) && { tokenAmounts: amounts };
      conditions.push({ argument: name, kind, comparison, operands: read, ...known });
    }
  }
  return conditions;
}

/** The canonical text of a value to compare an argument with. */
function readOperand(
  context: BuildContext,
  path: Path,
  kind: ArgumentKind,
  operand: Operand,
  chain: SourceKind | undefined,
): string | undefined {
  if (typeof operand !== 'string') {
    if (kind === 'integer' || kind === 'any') return operand.base.toString();
    context.faults.at(path, `An amount is for integers; this argument is ${kind}.`);
    return undefined;
  }
  const text = operand;
  switch (kind) {
    case 'integer':
      if (INTEGER.test(text)) return BigInt(text).toString();
      if (isDraft(text)) {
        context.faults.at(path, draftFault(text));
        return undefined;
      }
      break;
    case 'address':
      return readWallet(context, path, text, chain)?.address;
    case 'boolean':
      if (text === 'true' || text === 'false') return text;
      break;
    case 'bytes':
      if (HEX.test(text)) return text.toLowerCase();
      break;
    default:
      return canonicalText(context, text);
  }
  const accepts = {
    integer: 'an integer',
    boolean: 'true or false',
    bytes: 'hex digits after 0x',
  };
  context.faults.at(path, expected(accepts[kind], quoted(text)));
  return undefined;
}

/** An address in its canonical form, any other text unchanged. */
function canonicalText({ wallets }: BuildContext, text: string): string {
  try {
    return wallets.parse(text).address;
  } catch {
    return text;
  }
}

type GiveText = RuleText['give'];
type AmountText = Exclude<GiveText['points'], bigint>;

/** Types that only Fathom itself writes. */
const RESERVED: ReadonlySet<string> = new Set(['adjustment', 'badge_earned', 'badge_lost']);

/**
 * @param args the event's arguments; undefined if it may have any
 * @param badges ids of the badges that the file defines
 * @param where the rule's conditions
 */
export function buildGive(
  context: BuildContext,
  path: Path,
  text: GiveText,
  args: readonly Argument[] | undefined,
  badges: readonly string[],
  where: readonly Condition[] = [],
): Give {
  const { faults } = context;
  if (RESERVED.has(text.type)) {
    faults.at([...path, 'type'], `"${text.type}" is a type that only Fathom itself writes.`);
  }
  checkSize(context, [...path, 'points'], text.points);
  const points = buildPoints(context, [...path, 'points'], text.points, args);
  const mayBeNegative = points.kind === 'fixed' ? points.points < 0 : points.each < 0n;
  if (mayBeNegative && text.cap !== undefined) {
    faults.at([...path, 'cap'], "Negative points can't have a cap.");
  }
  if (mayBeNegative && text.half_life !== undefined) {
    faults.at([...path, 'half_life'], "Negative points can't have a half-life.");
  }
  if (text.badge !== undefined && !badges.includes(text.badge)) {
    faults.at([...path, 'badge'], unknownWord('badge', text.badge, badges));
  }
  if (text.text !== undefined) checkPlaceholders(context, [...path, 'text'], text.text, args);
  return {
    type: text.type,
    points,
    cap: text.cap === undefined ? undefined : readCap(text.cap),
    halfLifeDays: text.half_life === undefined ? undefined : daysOf(text.half_life),
    badge: text.badge,
    text: text.text,
    ...amountsIn(text.text ?? '', points, where),
  };
}

/** Arguments that a text has, and that the file says as people do. */
function amountsIn(
  text: string,
  points: Points,
  where: readonly Condition[],
): Pick<Give, 'amounts'> {
  const known = new Map<string, TokenAmount>();
  for (const { argument, tokenAmounts = [] } of where) {
    const one = tokenAmounts.find((each) => each !== undefined);
    if (one !== undefined) known.set(argument, one);
  }
  if (points.kind === 'by-amount' && points.tokenAmount !== undefined) {
    known.set(points.argument, points.tokenAmount);
  }
  const named = new Set([...text.matchAll(PLACEHOLDER)].map(([, name]) => name));
  const amounts = new Map([...known].filter(([name]) => named.has(name)));
  return amounts.size === 0 ? {} : { amounts };
}

/** An event worth more than a wallet can get by the rule is a mistake. */
function checkSize({ faults, pointsMax }: BuildContext, path: Path, text: GiveText['points']) {
  const figures: [Path, bigint | undefined][] =
    typeof text === 'bigint'
      ? [[path, text]]
      : [
          [[...path, 'each'], text.each],
          [[...path, 'most'], text.most],
        ];
  for (const [at, figure] of figures) {
    if (figure === undefined || (figure <= pointsMax && figure >= -pointsMax)) continue;
    faults.at(
      at,
      `A rule gives a wallet at most ${pointsMax} points, so one event can't give more.`,
    );
  }
}

function buildPoints(
  context: BuildContext,
  path: Path,
  text: bigint | AmountText,
  args: readonly Argument[] | undefined,
): Points {
  if (typeof text === 'bigint') return { kind: 'fixed', points: Number(text) };
  const { of: argument, each, most } = text;
  const per = unitsOf(text.per);
  const found = usableArgument(context, [...path, 'of'], args, argument);
  if (found !== undefined && found.kind !== 'integer' && found.kind !== 'any') {
    context.faults.at([...path, 'of'], `${quoted(argument)} isn't an amount but ${found.kind}.`);
  }
  if (found !== undefined) checkLargest(context, path, { ...text, per }, found.max);
  return { kind: 'by-amount', argument, per, ...withTokenAmount(text.per), each, most };
}

/** A figure beyond 2^53 − 1 isn't exact. */
function checkLargest(
  { faults }: BuildContext,
  path: Path,
  { per, each, most }: Omit<AmountText, 'per'> & { readonly per: bigint },
  max: bigint | undefined,
): void {
  // The amount of an imported event or a signed integer may be anything, including negative.
  const largest = max === undefined ? undefined : (max / per) * each;
  if (each < 0n) {
    if (largest === undefined || -largest > POINTS_MAX) {
      const advice =
        largest === undefined
          ? 'The amount has no limit, so take a fixed number of points.'
          : 'Raise "per".';
      faults.at(
        [...path, 'each'],
        `The points could fall below what is exact (2^53 − 1). ${advice}`,
      );
    }
    return;
  }
  if (most === undefined && (largest === undefined || largest > POINTS_MAX)) {
    faults.at(path, 'The points could pass what is exact (2^53 − 1). Add "most".');
  }
}

/** `500 per 30d`, `90 ever`. The shape was checked before. */
function readCap(text: string): Give['cap'] {
  const [points, , days] = text.split(' ');
  return { points: Number(points), days: days === undefined ? undefined : daysOf(days) };
}

const PLACEHOLDER = /\{([^{}]*)\}/g;

function checkPlaceholders(
  { faults }: BuildContext,
  path: Path,
  text: string,
  args: readonly Argument[] | undefined,
): void {
  if (/[{}]/.test(text.replace(PLACEHOLDER, ''))) {
    faults.at(path, "Unmatched brace; {argument} is replaced by an argument's value.");
  }
  for (const [, name = ''] of text.matchAll(PLACEHOLDER)) {
    if (args === undefined && /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/.test(name)) continue;
    if (args !== undefined && argumentNamed(args, name) !== undefined) continue;
    faults.at(path, unknownWord('argument', name, argumentNames(args ?? [])));
  }
}
