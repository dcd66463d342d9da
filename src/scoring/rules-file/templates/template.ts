import { readFileSync } from 'node:fs';
import { UserError } from '#base';
import { baseUnits, fitSymbol, isSameSymbol, parseAmount, TokenAmount } from '#scoring/amount';
import { quoted } from '#scoring/faults';
import { IMPORT } from '#scoring/model';
import { amountInYaml } from '#scoring/rules-file/edit-text';
import { parseYaml } from '#scoring/rules-file/parse-yaml';
import { parseSolidityEvent } from '#scoring/signature';
import { SOURCE_KIND_NAMES, type SourceKind } from '#scoring/source-kind';
import { childOf, type RulesNode } from '#scoring/tree';
import type { WalletParser } from '#wallet';

/** What a value must be, and how it's written into the file. */
interface KindOfValue {
  readonly accepts: string;
  /** What somebody might give, for templates without a default. */
  readonly example?: string;
  /** @returns undefined for anything else */
  read(text: string, wallets: WalletParser): string | undefined;
}

const ETHEREUM = {
  ...addressOf('ethereum', 'an address of 0x and 40 hex digits'),
  example: '0x323A76393544d5ecca80cd6ef2A560C6a395b7E3',
};

/**
 * The kinds of parameters. They only keep a value from being anything but one value; that it makes sense is
 * checked with the whole file.
 */
const KINDS = {
  contract: ETHEREUM,
  address: ETHEREUM,
  solana: {
    ...addressOf('solana', 'an address on Solana'),
    example: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  },
  bytes32: {
    ...matching('0x and 64 hex digits', /^0x[0-9a-f]{64}$/i),
    example: `0x${'ab'.repeat(32)}`,
  },
  event: {
    accepts: 'a Solidity event such as "Staked(address indexed user, uint256 amount)"',
    read: readEvent,
  },
  argument: matching(
    'the name of an argument, or its place from 0',
    /^([A-Za-z_$][\w$]{0,63}|\d{1,2})$/,
  ),
  amount: {
    accepts: 'an amount such as 10, 0.5 or 10 PEARL',
    read: readAmount,
  },
  decimals: {
    ...matching('a number from 0 to 77', /^([0-9]|[1-6]\d|7[0-7])$/),
    example: '18',
  },
  integer: { ...matching('a whole number', /^(0|[1-9]\d{0,19})$/), example: '31566704' },
  points: matching('a whole number', /^(0|[1-9]\d{0,14})$/),
  cap: matching(
    'N per P, such as 500 per 30d, or N ever',
    /^(0|[1-9]\d{0,15}) (ever|per [1-9]\d{0,4}d)$/,
  ),
  start: {
    ...matching('a block, or a date such as 2024-01-01', /^(\d{1,18}|\d{4}-\d\d-\d\d)$/),
    example: '17000000',
  },
  day: matching('a date such as 2024-01-01', /^\d{4}-\d\d-\d\d$/),
  space: {
    ...matching('the id of a space such as reef.eth', /^[a-zA-Z0-9.:_-]{1,128}$/),
    example: 'reef.eth',
  },
  prefix: matching('hex digits such as 0x0a1b', /^0x([0-9a-f]{2}){0,64}$/i),
  name: matching('letters a-z, digits and _, beginning with a letter', /^[a-z][a-z0-9_]{0,63}$/),
} satisfies Record<string, KindOfValue>;

type ParameterKind = keyof typeof KINDS;

function isParameterKind(text: string): text is ParameterKind {
  return Object.hasOwn(KINDS, text);
}

/**
 * Checks a value of a parameter.
 * @returns it as it's written into a file
 * @throws UserError `wrong-usage`
 */
export function readParameterValue(
  { name, is }: { readonly name: string; readonly is: ParameterKind },
  text: string,
  wallets: WalletParser,
): string {
  const { accepts, read }: KindOfValue = KINDS[is];
  const value = read(text.trim(), wallets);
  if (value !== undefined) return value;
  throw new UserError('wrong-usage', `${flagOf(name)}: ${quoted(text)} isn't ${accepts}.`);
}

/** What somebody might give; empty for kinds that always have a default. */
export function exampleOf({ is }: { readonly is: ParameterKind }): string {
  const { example = '' }: KindOfValue = KINDS[is];
  return example;
}

/** `vote_points` → `--vote-points` */
export function flagOf(parameter: string): string {
  return `--${parameter.replaceAll('_', '-')}`;
}

function matching(accepts: string, form: RegExp): KindOfValue {
  return { accepts, read: (text) => (form.test(text) ? text : undefined) };
}

function addressOf(chain: 'ethereum' | 'solana', accepts: string): KindOfValue {
  return {
    accepts,
    read(text, wallets) {
      try {
        return wallets.parse(text, chain).address;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return undefined;
      }
    },
  };
}

/** More than nothing. */
function readAmount(text: string): string | undefined {
  const amount = parseAmount(text);
  return amount !== undefined && /[1-9]/.test(amount.whole + amount.fraction) ? text : undefined;
}

/** Quotes and backslashes would end the text that it stands in. */
function readEvent(text: string): string | undefined {
  if (text.length > 1_000 || !/^[\w$ ,()[\]]+$/.test(text)) return undefined;
  try {
    parseSolidityEvent(text);
    return text;
  } catch {
    return undefined;
  }
}

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
