import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { isDraft, type TokenAmount } from '#scoring/amount';
import { buildSources } from '#scoring/compile/sources';
import { Faults, FileFaults } from '#scoring/faults';
import { sources } from '#scoring/grammar/file';
import type { Source } from '#scoring/model';
import { childOf } from '#scoring/tree';
import { parseYaml } from './parse-yaml.ts';

/** An amount in a rules file that isn't in base units yet. */
export interface AmountDraft {
  /** `10 PEARL`, or base units of a balance that people don't read. */
  readonly text: string;
  readonly isBase: boolean;
  /** The id of its source, and the token to ask there: a contract's address or an asset's id. */
  readonly source: string;
  readonly token: string;
  /** In the file's text. */
  readonly from: number;
  readonly to: number;
  readonly line: number;
}

/**
 * Finds amounts to complete in a rules file's text: those as people say them, and balances of tokens in base units.
 * @returns none if it isn't YAML; checking the file says what's wrong with it
 */
export function amountDrafts(text: string): readonly AmountDraft[] {
  const document = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
  });
  if (document.errors.length > 0) return [];
  const rules = isMap(document.contents) ? document.contents.get('rules') : undefined;
  if (!isSeq(rules)) return [];
  return rules.items.flatMap((rule) => (isMap(rule) ? draftsOf(rule, text) : []));
}

function draftsOf(rule: YAMLMap, text: string): AmountDraft[] {
  const [hold, on, give] = ['hold', 'on', 'give'].map((key) => mapIn(rule, key));
  const about = hold ?? on;
  const source = about && textIn(about, 'source');
  if (about === undefined || source === undefined) return [];
  const asset = textIn(about, 'asa') ?? textIn(about, 'asset');
  const contract = textIn(about, 'erc20') ?? contractIn(about);
  const token = asset ?? contract;
  if (token === undefined) return [];
  const draftAt = (node: unknown, mayBeBase = false): AmountDraft[] => {
    if (!isScalar(node) || !node.range) return [];
    const said = String(node.value ?? '');
    const isBase = mayBeBase && /^[1-9]\d{0,77}$/.test(said);
    if (!isBase && !isDraft(said)) return [];
    const [from, to] = node.range;
    const line = text.slice(0, from).split('\n').length;
    return [{ text: said, isBase, source, token, from, to, line }];
  };
  const isToken = about.has('erc20') || about.has('asa');
  return [
    ...(hold === undefined ? [] : draftAt(hold.get('min', true), isToken)),
    ...scalarsIn(mapIn(rule, 'where')).flatMap((each) => draftAt(each)),
    ...draftAt((give && mapIn(give, 'points'))?.get('per', true)),
  ];
}

/** All plain values of conditions, at any depth. */
function scalarsIn(node: Node | undefined): Scalar[] {
  if (isScalar(node)) return [node];
  if (isSeq(node)) return node.items.flatMap((each) => scalarsIn(each as Node));
  if (!isMap(node) || node.has('amount')) return [];
  return node.items.flatMap(({ value }: Pair) =>
    scalarsIn((value ?? undefined) as Node | undefined),
  );
}

function mapIn(map: YAMLMap, key: string): YAMLMap | undefined {
  const value = map.get(key);
  return isMap(value) ? value : undefined;
}

function textIn(map: YAMLMap, key: string): string | undefined {
  const value = map.get(key);
  return typeof value === 'string' ? value : undefined;
}

/** The contract, if it's one. */
function contractIn(map: YAMLMap): string | undefined {
  const value = map.get('contract');
  if (typeof value === 'string') return value;
  return isSeq(value) && value.items.length === 1 && isScalar(value.items[0])
    ? String(value.items[0].value)
    : undefined;
}

/** The text with drafts replaced by what is to stand there. */
export function withAmounts(
  text: string,
  written: readonly { readonly draft: AmountDraft; readonly as: string }[],
): string {
  let whole = text;
  // From the end, so that the places of those before stay.
  for (const { draft, as } of written.toSorted((a, b) => b.draft.from - a.draft.from)) {
    whole = whole.slice(0, draft.from) + as + whole.slice(draft.to);
  }
  return whole;
}

/** As it stands in a rules file: in quotes where a sign of it might mean something in YAML. */
export function amountInYaml({ text, decimals, base }: TokenAmount): string {
  const isPlain = /^[\d.]+( [\p{L}\d.]+)?$/u.test(text);
  return `{amount: ${isPlain ? text : JSON.stringify(text)}, decimals: ${decimals}, base: ${base}}`;
}

/** The sources of a rules file's text by id, even where its rules aren't valid; none if they aren't either. */
export function sourcesIn(text: string): ReadonlyMap<string, Source> {
  const tree = parseYaml(text);
  const node = 'kind' in tree && tree.kind === 'map' ? childOf(tree, 'sources') : undefined;
  const faults = new Faults();
  const read = node && sources.read(node, ['sources'], faults);
  const built = read && 'kind' in tree && buildSources(read, new FileFaults(tree, faults));
  return built && faults.isEmpty ? built : new Map();
}
