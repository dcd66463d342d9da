import { isDeepStrictEqual } from 'node:util';
import {
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { UserError } from '#base';
import { isDraft, type TokenAmount } from '#scoring/amount';
import { buildSources } from '#scoring/compile/sources';
import { Faults, FileFaults } from '#scoring/faults';
import { sources } from '#scoring/grammar/file';
import type { Source } from '#scoring/model';
import { childOf, type RulesNode } from '#scoring/tree';
import { parseYaml } from './parse-yaml.ts';

/** A source that rules need and the file doesn't have. */
export interface NewSource {
  readonly id: string;
  /** As after `id:` in the file. */
  readonly text: string;
}

/**
 * Adds rules at the end of a rules file's text, and a source if it's missing. All that was there stays as it is,
 * comments included.
 * @param rules entries of a list, without indentation
 * @throws UserError `wrong-usage` if the text is written in a way that nothing can be added to by itself
 */
export function insertRules(text: string, rules: string, source: NewSource | undefined): string {
  const before = treeOf(text);
  const withSource = source === undefined ? text : insertSource(text, source);
  const result = insertInList(withSource, rules);
  if (!isKept(before, treeOf(result))) throw byHand('its layout is unusual');
  return result;
}

/** @param list the position of the list's first "-", or undefined for an empty list */
function insertInList(text: string, rules: string): string {
  const pair = pairOf(text, 'rules');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  if (pair === undefined) return `${ended(text, eol)}rules:${eol}${indented(rules, '  ', eol)}`;
  const list = pair.value as YAMLSeq | null;
  const [, keyEnd] = (pair.key as { range?: [number, number] }).range ?? [0, 0];
  if (list === null || isScalar(list) || (isSeq(list) && list.items.length === 0)) {
    // "rules:" or "rules: []": what follows on its line is a comment at most.
    const [from, to] = list?.range ?? [keyEnd + 1, keyEnd + 1];
    const head = text.slice(0, from).replace(/ +$/, '') + text.slice(to);
    const at = lineEnd(head, Math.min(from, head.length));
    return `${ended(head.slice(0, at), eol)}${indented(rules, '  ', eol)}${head.slice(at)}`;
  }
  if (!isSeq(list) || list.flow === true) throw byHand('"rules" is written as [ … ]');
  const [start, end] = list.range ?? [0, 0];
  const margin = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (/\S/.test(margin)) throw byHand('"rules" begins in the middle of a line');
  let at = end;
  // Comments that are indented like the list belong to its last entry.
  for (const [line] of text.slice(end).matchAll(/.*(?:\n|$)/g)) {
    if (margin === '' || !line.startsWith(`${margin}#`)) break;
    at += line.length;
  }
  return `${ended(text.slice(0, at), eol)}${indented(rules, margin, eol)}${text.slice(at)}`;
}

function insertSource(text: string, { id, text: source }: NewSource): string {
  const pair = pairOf(text, 'sources');
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const entry = `${id}: ${source}`;
  if (pair === undefined) {
    const rules = pairOf(text, 'rules');
    const [at] = (rules?.key as { range?: [number] } | undefined)?.range ?? [text.length];
    const head = at === text.length ? ended(text, eol) : text.slice(0, at);
    return `${head}sources:${eol}  ${entry}${eol}${text.slice(at)}`;
  }
  const map = pair.value as YAMLMap | null;
  if (!isMap(map)) throw byHand('"sources" has no entries');
  const [start, end] = map.range ?? [0, 0];
  if (map.flow === true) {
    const isEmpty = map.items.length === 0;
    return `${text.slice(0, start + 1)}${entry}${isEmpty ? '' : ', '}${text.slice(start + 1)}`;
  }
  const margin = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  if (/\S/.test(margin)) throw byHand('"sources" begins in the middle of a line');
  return `${ended(text.slice(0, end), eol)}${margin}${entry}${eol}${text.slice(end)}`;
}

function pairOf(text: string, key: string): Pair | undefined {
  const { contents } = parseDocument(text, { schema: 'failsafe', uniqueKeys: false });
  if (!isMap(contents)) return undefined;
  return contents.items.find((each) => isScalar(each.key) && each.key.value === key);
}

/** @throws UserError `wrong-usage` with the first fault */
function treeOf(text: string): RulesNode {
  const tree = parseYaml(text);
  if ('kind' in tree) return tree;
  const [fault] = tree;
  throw new UserError('wrong-usage', `${fault?.at.line}:${fault?.at.column} ${fault?.message}`);
}

/** Whether all that was in a file is still there, apart from what its lists and maps got in addition. */
function isKept(before: RulesNode, after: RulesNode): boolean {
  if (before.kind !== 'map' || after.kind !== 'map') return false;
  return before.entries.every(({ key, value }) => {
    const now = childOf(after, key);
    if (now === undefined) return false;
    if (key === 'sources' && value.kind === 'map' && now.kind === 'map') {
      return value.entries.every((each) => {
        const same = childOf(now, each.key);
        return same !== undefined && isDeepStrictEqual(plain(each.value), plain(same));
      });
    }
    if (key !== 'rules') return isDeepStrictEqual(plain(value), plain(now));
    if (now.kind !== 'list') return false;
    const was = value.kind === 'list' ? value.items : [];
    return was.every((each, place) => isDeepStrictEqual(plain(each), plain(now.items[place])));
  });
}

/** Without positions. */
function plain(node: RulesNode | undefined): unknown {
  if (node === undefined || node.kind === 'text') return node?.text;
  if (node.kind === 'list') return node.items.map(plain);
  return node.entries.map(({ key, value }) => [key, plain(value)]);
}

function indented(rules: string, margin: string, eol: string): string {
  const lines = rules.trimEnd().split('\n');
  return lines.map((line) => (line === '' ? eol : `${margin}${line}${eol}`)).join('');
}

function ended(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}${eol}`;
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from);
  return at === -1 ? text.length : at + 1;
}

function byHand(why: string): UserError {
  return new UserError(
    'wrong-usage',
    `Nothing can be added to this file: ${why}. Write "rules:" and "sources:" as blocks, one entry a line, or add the rules by hand.`,
  );
}

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
  const trigger = hold ?? on;
  const source = trigger && textIn(trigger, 'source');
  if (trigger === undefined || source === undefined) return [];
  const asset = textIn(trigger, 'asa') ?? textIn(trigger, 'asset');
  const contract = textIn(trigger, 'erc20') ?? contractIn(trigger);
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
  const isToken = trigger.has('erc20') || trigger.has('asa');
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
