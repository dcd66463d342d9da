import { UserError } from '#base';
import { baseUnits, fitSymbol, isSameSymbol, parseAmount, TokenAmount } from '#scoring/amount';
import { quoted } from '#scoring/faults';
import { amountInYaml } from '#scoring/rules-file/amount-drafts';
import { flagOf } from './parameter-kinds.ts';
import type { RuleTemplate } from './template.ts';

export interface FillOptions {
  readonly template: RuleTemplate;
  /** What rules are named by: the rules' ids are this, or begin with it. */
  readonly id: string;
  /** The name of the source in the file. */
  readonly source: string;
  /** Of every parameter, as `readParameterValue` returns them. */
  readonly values: ReadonlyMap<string, string>;
  /** What the token is called, for amounts; undefined if that isn't known. */
  readonly symbol: string | undefined;
}

/**
 * A template's rules with all values in place.
 * @throws UserError `wrong-usage` if an amount has more decimals than its token, or another token's name
 */
export function fillTemplate({ template, id, source, values, symbol }: FillOptions): string {
  const texts = new Map([...values, ['id', id], ['source', source]]);
  const decimals = Number(values.get('decimals') ?? 0);
  for (const { name, is } of template.parameters) {
    if (is !== 'amount') continue;
    const said = tokenAmountOf(flagOf(name), values.get(name) ?? '', decimals, symbol);
    texts.set(name, decimals === 0 ? String(said.base) : amountInYaml(said));
    texts.set(`${name}.words`, said.text);
  }
  return template.rules.replaceAll(/\$\{([\w.]+)\}/g, (_, name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`template ${template.name} has no value for ${name}`);
    return text;
  });
}

/**
 * An amount of a token, as an option or an answer has it.
 * @throws UserError `wrong-usage` if it has more decimals than the token, or another token's name
 */
export function tokenAmountOf(
  flag: string,
  text: string,
  decimals: number,
  symbol: string | undefined,
): TokenAmount {
  const written = parseAmount(text);
  const base = written && baseUnits(written, decimals);
  if (base === undefined) {
    throw new UserError(
      'wrong-usage',
      `${flag}: ${text} has more decimals than the token, which has ${decimals}.`,
    );
  }
  const called = written?.symbol;
  if (called !== undefined && symbol !== undefined && !isSameSymbol(called, symbol)) {
    throw new UserError(
      'wrong-usage',
      `${flag}: the token calls itself ${quoted(symbol)}, not ${called}. Is it the right one?`,
    );
  }
  return new TokenAmount(base, decimals, (symbol && fitSymbol(symbol)) ?? called);
}

/** The ids of a template's rules. */
export function ruleIdsOf({ rules }: RuleTemplate, id: string): readonly string[] {
  return [...rules.matchAll(/^- id: (.+)$/gm)].map(([, each = '']) => each.replace(/\$\{id\}/, id));
}
