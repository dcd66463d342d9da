import { UserError } from '#base';
import { fitSymbol, SaidAmount } from '#scoring/amount';
import { amountInYaml } from '#scoring/rules-file/amount-drafts';
import { inBaseUnits } from './base-units.ts';
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
 * @throws UserError `wrong-usage` if an amount has more decimals than its token
 */
export function fillTemplate({ template, id, source, values, symbol }: FillOptions): string {
  const texts = new Map([...values, ['id', id], ['source', source]]);
  const decimals = Number(values.get('decimals') ?? 0);
  for (const { name, is } of template.parameters) {
    if (is !== 'amount') continue;
    const amount = values.get(name) ?? '';
    const units = inBaseUnits(amount, decimals);
    if (units === undefined) {
      throw new UserError(
        'wrong-usage',
        `${flagOf(name)}: ${amount} has more decimals than the token, which has ${decimals}.`,
      );
    }
    const said = new SaidAmount(BigInt(units), decimals, symbol && fitSymbol(symbol));
    texts.set(name, decimals === 0 ? units : amountInYaml(said));
    texts.set(`${name}.words`, said.text);
  }
  return template.rules.replaceAll(/\$\{([\w.]+)\}/g, (_, name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`template ${template.name} has no value for ${name}`);
    return text;
  });
}

/** The ids of a template's rules. */
export function ruleIdsOf({ rules }: RuleTemplate, id: string): readonly string[] {
  return [...rules.matchAll(/^- id: (.+)$/gm)].map(([, each = '']) => each.replace(/\$\{id\}/, id));
}
