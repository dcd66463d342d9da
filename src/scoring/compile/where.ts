import { isDraft, type TokenAmount } from '#scoring/amount';
import { quoted } from '#scoring/faults';
import type { ConditionText } from '#scoring/grammar/file';
import { type Comparison, type Condition, isOrdered } from '#scoring/model';
import { draftFault } from '#scoring/shape/amount';
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
