import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type ParsedNode,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type { RulesFault } from '#scoring/faults';
import type { MapEntry, Position, RulesNode } from '#scoring/tree';

/** Deeper maps and lists aren't a rules file. */
const DEEPEST = 32;
/** After one error, the parser stumbles over everything that follows. */
const ERRORS_MOST = 5;
const FAULTS_MOST = 100;

/**
 * Parses YAML as texts, lists and maps with their positions. Everything is text: under YAML's own
 * rules an unquoted address is a number. Anchors, aliases and tags are rejected.
 * @returns the tree, or the text's faults as YAML
 */
export function parseYaml(text: string): RulesNode | readonly RulesFault[] {
  const lines = new LineCounter();
  let document: Document.Parsed<ParsedNode>;
  try {
    document = parseDocument(text, {
      schema: 'failsafe',
      // The parser compares each key with all others of its map, so we do that below.
      uniqueKeys: false,
      lineCounter: lines,
      // A message that quotes the line could repeat a key that someone typed there.
      prettyErrors: false,
    });
  } catch (error) {
    // The parser recurses, so endless nesting ends up here.
    if (error instanceof RangeError) return [fault({ line: 1, column: 1 }, TOO_DEEP)];
    throw error;
  }
  const place = (offset: number | undefined): Position => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const unread = [...document.errors, ...document.warnings];
  if (unread.length > 0) {
    return unread.slice(0, ERRORS_MOST).map((error) => fault(place(error.pos[0]), reasonOf(error)));
  }
  const faults: RulesFault[] = [];
  if (document.contents === null) return [fault({ line: 1, column: 1 }, 'The file is empty.')];

  function convert(node: Node | null | undefined, depth: number, from: Position): RulesNode {
    const at = node?.range ? place(node.range[0]) : from;
    if (depth > DEEPEST) return refused(at, TOO_DEEP);
    if (node === null || node === undefined) return { kind: 'text', at, text: '' };
    if (isAlias(node)) return refused(at, 'Aliases (*name) aren’t supported; repeat the value.');
    if (node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
      return refused(at, 'Tags (!name) aren’t supported.');
    }
    if ('anchor' in node && node.anchor !== undefined) {
      return refused(at, 'Anchors (&name) aren’t supported; write each value in place.');
    }
    if (isScalar(node)) return { kind: 'text', at, text: String(node.value ?? '') };
    if (isSeq(node)) {
      const items = node.items.map((item) => convert(item as Node | null, depth + 1, at));
      return { kind: 'list', at, items };
    }
    if (!isMap(node)) return refused(at, 'This can’t be parsed.');
    const entries: MapEntry[] = [];
    const keys = new Set<string>();
    for (const { key, value } of node.items) {
      const keyNode = key as Node | null;
      const keyAt = keyNode?.range ? place(keyNode.range[0]) : at;
      if (!isScalar(keyNode)) {
        refused(keyAt, 'A key must be a plain word.');
        continue;
      }
      const name = String(keyNode.value ?? '');
      if (keys.has(name)) refused(keyAt, 'This key occurs twice in the same map.');
      keys.add(name);
      const inner = convert(value as Node | null, depth + 1, keyAt);
      entries.push({ key: name, keyAt, value: inner });
    }
    return { kind: 'map', at, entries };
  }

  function refused(at: Position, message: string): RulesNode {
    if (faults.length < FAULTS_MOST) faults.push(fault(at, message));
    return { kind: 'text', at, text: '' };
  }

  const tree = convert(document.contents, 0, { line: 1, column: 1 });
  return faults.length > 0 ? faults : tree;
}

const TOO_DEEP = 'Lists and maps are nested too deeply here.';

/** Tags that YAML itself gives to texts, maps and lists. */
const PLAIN_TAGS: ReadonlySet<string> = new Set([
  'tag:yaml.org,2002:str',
  'tag:yaml.org,2002:map',
  'tag:yaml.org,2002:seq',
]);

function fault(at: Position, message: string): RulesFault {
  return { at, path: '', message };
}

const REASONS: Partial<Record<YAMLError['code'], string>> = {
  TAB_AS_INDENT: 'Indent with spaces; YAML doesn’t allow tabs.',
  BAD_INDENT: 'The indentation doesn’t fit the lines above.',
  MULTIPLE_DOCS: 'A rules file is a single document; remove the line ---.',
  MISSING_CHAR: 'A character is missing here, such as a colon, a comma, a quote or a bracket.',
  BLOCK_AS_IMPLICIT_KEY: 'Unexpected continuation of a value; quote it or fix the indentation.',
  MULTILINE_IMPLICIT_KEY: 'A key must be on one line; perhaps a colon is missing.',
  TAG_RESOLVE_FAILED: 'Tags (!name) aren’t supported.',
  BAD_ALIAS: 'Aliases (*name) aren’t supported; repeat the value.',
};

function reasonOf(error: YAMLError): string {
  return (
    REASONS[error.code] ??
    `This isn’t valid YAML (${error.code.toLowerCase().replaceAll('_', ' ')}).`
  );
}
