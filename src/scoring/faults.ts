import { type Path, type Position, pathText, positionAt, type RulesNode } from './tree.ts';

/** One fault in a rules file. */
export interface RulesFault {
  readonly at: Position;
  /** `rules[2].give.points`; empty for the file as a whole. */
  readonly path: string;
  /** What was found and what is accepted. */
  readonly message: string;
}

/** Beyond this many, the file is probably something else. */
const MOST = 100;

/** Collects faults, so that an author sees all of them at once. */
export class Faults {
  readonly #found: RulesFault[] = [];

  add(at: Position, path: Path, message: string): void {
    if (this.#found.length < MOST) this.#found.push({ at, path: pathText(path), message });
  }

  /** In file order. */
  list(): RulesFault[] {
    return this.#found.toSorted((one, other) => {
      return one.at.line - other.at.line || one.at.column - other.at.column;
    });
  }

  get isEmpty(): boolean {
    return this.#found.length === 0;
  }
}

/** Reports faults of values by their paths in the file. */
export class FileFaults {
  readonly #root: RulesNode;
  readonly #faults: Faults;

  constructor(root: RulesNode, faults: Faults) {
    this.#root = root;
    this.#faults = faults;
  }

  at(path: Path, message: string): void {
    this.#faults.add(positionAt(this.#root, path), path, message);
  }
}

/** `14:9 rules[2].give: Unknown field "pionts".` */
export function faultLine({ at, path, message }: RulesFault): string {
  return `${at.line}:${at.column} ${path === '' ? '' : `${path}: `}${message}`;
}

/** Longer texts are truncated in messages: a file's contents are untrusted. */
const QUOTED = 40;

/** A value of the file quoted for a message: one line, without control characters. */
export function quoted(text: string): string {
  const characters = [...text];
  const short = characters.length > QUOTED ? `${characters.slice(0, QUOTED).join('')}…` : text;
  return JSON.stringify(short).replace(
    /[\u007f-\u009f\u2028\u2029\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g,
    '�',
  );
}

/** A node's type, in words. */
export function found(node: RulesNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a map';
  return node.text === '' ? 'nothing' : quoted(node.text);
}
