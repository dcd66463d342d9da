/**
 * A rules file as written: texts, lists and maps with their positions. The YAML reader produces it;
 * nothing is interpreted, so `0x10`, `007` and `true` are texts.
 */
export type RulesNode = TextNode | ListNode | MapNode;

/** A position in the file; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

interface TextNode {
  readonly kind: 'text';
  readonly at: Position;
  readonly text: string;
}

interface ListNode {
  readonly kind: 'list';
  readonly at: Position;
  readonly items: readonly RulesNode[];
}

export interface MapNode {
  readonly kind: 'map';
  readonly at: Position;
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly keyAt: Position;
  readonly value: RulesNode;
}

/** Steps from the top of the file: keys of maps, indexes of lists. */
export type Path = readonly (string | number)[];

/** A key's value. Keys are unique, as the YAML reader rejects duplicates. */
export function childOf(node: MapNode, key: string): RulesNode | undefined {
  return node.entries.find((each) => each.key === key)?.value;
}

/** The position of the value at a path, or of the innermost existing value around it. */
export function positionAt(root: RulesNode, path: Path): Position {
  let node: RulesNode = root;
  for (const step of path) {
    let next: RulesNode | undefined;
    if (node.kind === 'map' && typeof step === 'string') next = childOf(node, step);
    if (node.kind === 'list' && typeof step === 'number') next = node.items[step];
    if (next === undefined) break;
    node = next;
  }
  return node.at;
}

/** `rules[2].give.points` */
export function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
