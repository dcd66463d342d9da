import { readFileSync } from 'node:fs';
import { UserError } from '#base';
import { baseUnits, fitSymbol, isSameSymbol, parseAmount, TokenAmount } from '#scoring/amount';
import { quoted } from '#scoring/faults';
import { IMPORT } from '#scoring/model';
import { amountInYaml } from '#scoring/rules-file/amount-drafts';
import { parseYaml } from '#scoring/rules-file/parse-yaml';
import { SOURCE_KIND_NAMES, type SourceKind } from '#scoring/source-kind';
import { childOf, type RulesNode } from '#scoring/tree';
import { flagOf, isParameterKind, type ParameterKind } from './parameter-kinds.ts';

/** Every template in `src/scoring/templates`, in the order in which they're offered. */
export const TEMPLATE_NAMES = [
  'governor',
  'governor-bravo',
  'snapshot',
  'erc20-holder',
  'nft-holder',
  'nft-minter',
  'staking',
  'liquidity',
  'donations',
  'eas-attestation',
  'poap',
  'ens-name',
  'event-guests',
  'solana-program',
  'algorand-xgov',
  'asa-holder',
] as const;

/** What a template's rules read: a kind of source, or imports. */
type TemplateSource = SourceKind | typeof IMPORT;

/** Something that a template's rules leave open. */
export interface TemplateParameter {
  readonly name: string;
  readonly is: ParameterKind;
  /** What to answer, for people. */
  readonly ask: string;
  /** Used where nothing else is given; the chain's own one goes first. */
  readonly byDefault: string | undefined;
  readonly byChain: ReadonlyMap<string, string>;
  /** For a contract: events that it must log beside those of the rules, such as a token's. */
  readonly events: readonly string[];
}

/** Rules for something common, with parameters. */
export interface RuleTemplate {
  readonly name: string;
  readonly title: string;
  readonly source: TemplateSource;
  /** The chains that it's for; empty: any of its kind. */
  readonly chains: readonly string[];
  readonly parameters: readonly TemplateParameter[];
  /** The rules with their comments as they go into a file, with `${parameter}` for values. */
  readonly rules: string;
}

/** Stands for what Fathom finds out by itself: a token's decimals, the block of a contract's first log. */
export const READ = 'read';
export const FIRST_LOG = 'first-log';

const FOLDER = new URL('../../templates/', import.meta.url);
const SOURCES: readonly TemplateSource[] = [...SOURCE_KIND_NAMES, IMPORT];

/** @param name one of `TEMPLATE_NAMES` */
export function readTemplate(name: string): RuleTemplate {
  const text = readFileSync(new URL(`${name}.yaml`, FOLDER), 'utf8');
  const [head = '', rules = ''] = text.split(/^---\n/m);
  const tree = parseYaml(head);
  if (!('kind' in tree)) throw new Error(`template ${name}: ${tree[0]?.message}`);
  const source = SOURCES.find((each) => each === textOf(tree, 'source'));
  if (source === undefined) throw new Error(`template ${name} has no source`);
  return {
    name,
    title: textOf(tree, 'title') ?? name,
    source,
    chains: listOf(inner(tree, 'chains')),
    parameters: entriesOf(inner(tree, 'parameters')).map(([each, node]) =>
      parameterOf(name, each, node),
    ),
    rules,
  };
}

function parameterOf(template: string, name: string, node: RulesNode): TemplateParameter {
  const is = textOf(node, 'is') ?? '';
  if (!isParameterKind(is)) throw new Error(`template ${template}: ${name} is of no kind`);
  const byDefault = inner(node, 'default');
  const isPlain = byDefault?.kind === 'text';
  return {
    name,
    is,
    ask: textOf(node, 'ask') ?? name,
    byDefault: isPlain ? byDefault.text : undefined,
    byChain: new Map(
      entriesOf(byDefault).map(([chain, value]) => [
        chain,
        value.kind === 'text' ? value.text : '',
      ]),
    ),
    events: listOf(inner(node, 'events')),
  };
}

function inner(node: RulesNode, key: string): RulesNode | undefined {
  return node.kind === 'map' ? childOf(node, key) : undefined;
}

function textOf(node: RulesNode, key: string): string | undefined {
  const found = inner(node, key);
  return found?.kind === 'text' ? found.text : undefined;
}

function entriesOf(node: RulesNode | undefined): (readonly [string, RulesNode])[] {
  return node?.kind === 'map' ? node.entries.map(({ key, value }) => [key, value] as const) : [];
}

function listOf(node: RulesNode | undefined): string[] {
  if (node?.kind !== 'list') return [];
  return node.items.flatMap((each) => (each.kind === 'text' ? [each.text] : []));
}

export interface FillOptions {
  readonly template: RuleTemplate;
  /** What rules are named by: the rules' ids are this, or begin with it. */
  readonly id: string;
  /** The name of the source in the file. */
  readonly source: string;
  /** Values of every parameter, as `readParameterValue` returns them. */
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
