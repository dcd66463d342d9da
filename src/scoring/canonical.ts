import { beat } from '#cluster';
import { TokenAmount } from './amount.ts';
import type { RulesText, RuleText } from './grammar/file.ts';
import type { Condition, Discount, Give, RuleSet, ScoringRule } from './model.ts';
import { asList } from './shape/collections.ts';

/** SHA-256 of the text's UTF-8 bytes, as 64 lower-case hex digits. */
type Sha256Hex = (text: string) => string;

/** The text shared by files that mean the same. @param nobody whom no rule about a chain counts */
type CanonicalText = (nobody: readonly string[]) => string;

/** A value in canonical form: scalars are strings. */
type Canonical = string | readonly Canonical[] | { readonly [key: string]: Canonical };
type Plain = string | bigint | TokenAmount | readonly Plain[] | { readonly [key: string]: Plain };

/**
 * The canonical text shared by files that mean the same: JSON without spaces or comments, keys in
 * byte order, scalars as strings (integers without leading zeros, canonical addresses), `once`
 * always a list, `exempt` sorted, a discount's list as the hash of its sorted addresses; `nobody`, the
 * addresses that no rule about a chain counts. Titles and how people say amounts are left out:
 * they change no score. Of an amount in `text` it's part, as activities say it.
 */
export function canonicalRules(
  text: RulesText,
  rules: RuleSet,
  sha256Hex: Sha256Hex,
): CanonicalText {
  const whole: Record<string, Canonical> = { ...(plain(text as Plain) as object) };
  whole.rules = text.rules.map((each, index) => canonicalRule(each, rules.rules[index]));
  if (text.discounts !== undefined) {
    whole.discounts = text.discounts.map((each, index) =>
      canonicalDiscount(plain(each as Plain), rules.discounts[index], sha256Hex),
    );
  }
  if (text.exempt !== undefined) whole.exempt = addressesOf(rules.exempt);
  return (nobody) => written(nobody.length === 0 ? whole : { ...whole, nobody });
}

function canonicalRule({ title: _, ...text }: RuleText, rule: ScoringRule | undefined): Canonical {
  const whole: Record<string, Canonical> = { ...(plain(text as Plain) as object) };
  if (text.once !== undefined) whole.once = [...asList(text.once)];
  if (rule?.give.amounts !== undefined)
    whole.give = { ...(whole.give as object), text: withAmounts(rule.give) };
  if (rule?.kind === 'hold')
    whole.hold = { ...(whole.hold as object), ...canonicalHold(rule, text) };
  if (rule?.kind !== 'event') return whole;
  const { trigger, where } = rule;
  if (trigger.kind === 'evm-event' && text.on !== undefined && 'contract' in text.on) {
    const isList = typeof text.on.contract === 'object';
    const contract = isList ? trigger.contracts : (trigger.contracts[0] ?? '');
    whole.on = { ...(whole.on as object), contract };
  }
  if (trigger.kind === 'instruction') {
    whole.on = { ...(whole.on as object), prefix: trigger.prefix };
  }
  if (text.where !== undefined) whole.where = canonicalWhere(where);
  return whole;
}

/** `Donated {amount}` → `Donated {amount:18 ETH}` */
function withAmounts({ text = '', amounts }: Give): string {
  return text.replace(/\{([^{}]*)\}/g, (whole, name: string) => {
    const said = amounts?.get(name);
    if (said === undefined) return whole;
    return `{${name}:${said.decimals}${said.symbol === undefined ? '' : ` ${said.symbol}`}}`;
  });
}

/** A Map, because an argument can have any name, even `constructor`. */
function canonicalWhere(conditions: readonly Condition[]): Canonical {
  const byArgument = new Map<string, [string, Canonical][]>();
  for (const { argument, comparison, operands } of conditions) {
    const entries = byArgument.get(argument) ?? [];
    entries.push([comparison, comparison === 'in' ? operands : (operands[0] ?? '')]);
    byArgument.set(argument, entries);
  }
  return Object.fromEntries(
    [...byArgument].map(([argument, entries]) => [argument, Object.fromEntries(entries)]),
  );
}

function canonicalHold(rule: Extract<ScoringRule, { kind: 'hold' }>, text: RuleText): object {
  const { holding, except } = rule;
  const address = 'contract' in holding ? { [holding.kind]: holding.contract } : {};
  const hasExcept = text.hold !== undefined && 'except' in text.hold;
  return { ...address, ...(hasExcept && { except }) };
}

function canonicalDiscount(
  text: Canonical,
  discount: Discount | undefined,
  sha256Hex: Sha256Hex,
): Canonical {
  if (discount?.kind !== 'list') return text;
  return { ...(text as object), list: sha256Hex(addressesOf(discount.wallets).join('\n')) };
}

function addressesOf(wallets: RuleSet['exempt']): string[] {
  return wallets
    .map(({ address }) => {
      beat();
      return address;
    })
    .sort(byBytes);
}

function plain(value: Plain): Canonical {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof TokenAmount) return value.base.toString();
  if (Array.isArray(value)) return value.map(plain);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}

/** Written by hand, because JavaScript objects order keys such as `10` before all others. */
function written(value: Canonical): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(',')}]`;
  const entries = Object.entries(value).sort(([one], [other]) => byBytes(one, other));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${written(each)}`).join(',')}}`;
}

/** Keys and addresses are ASCII, so code unit order is byte order. */
function byBytes(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
