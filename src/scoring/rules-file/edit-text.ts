import { isDeepStrictEqual } from 'node:util';
import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { UserError } from '#base';
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
