import { parseTime, sanitizeText } from '#base';
import type { StoredRules } from '#scoring/score-versions/score-version';

/**
 * Evidence files: NDJSON, a JSON object a line, in this order:
 *
 * 1. `header`; then the text of the rules and of each list, in parts;
 * 2. wallet after wallet, in byte order of the addresses: its events in canonical order (source,
 *    height, place), its activities in the order of their ids, and its result;
 * 3. `end`.
 *
 * After every 1,000 lines, and after the last, comes a `checkpoint` with the SHA-256 of all lines so
 * far (their line feeds included, checkpoints left out).
 */
export const FORMAT = 1;
export const CHECKPOINT_EVERY = 1_000;
/** Characters of a text per line. */
export const PART = 16_384;
/** Bytes of a line. */
export const PROOF_LINE_MAX = 4 * 1024 * 1024;

export interface HeaderLine {
  readonly kind: 'header';
  readonly format: number;
  readonly rules: Pick<StoredRules, 'name' | 'version' | 'hash'>;
  /** `2026-01-01T00:00:00Z`: the last midnight processed. */
  readonly asOf: string;
  /** How far each source of the rules is complete. */
  readonly ends: readonly {
    readonly source: string;
    readonly height: number;
    readonly hash: string | null;
    readonly time: number;
  }[];
  /** Inputs whose balances match the chain's own. */
  readonly sound: readonly { readonly source: string; readonly input: string }[];
}

/** `rules`: of the file; `list`: of one that it names. */
export type TextLine =
  | { readonly kind: 'rules'; readonly text: string }
  | { readonly kind: 'list'; readonly path: string; readonly text: string };

export interface EventLine {
  readonly kind: 'event';
  readonly address: string;
  readonly source: string;
  readonly input: string;
  readonly height: number;
  readonly place: string;
  /** Seconds since 1970. */
  readonly time: number;
  readonly args: Readonly<Record<string, string>>;
}

export interface ActivityLine {
  readonly kind: 'activity';
  readonly address: string;
  readonly id: string;
  readonly type: string;
  readonly description: string;
  readonly points: number;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

/** What one rule gave a wallet. */
export interface RulePoints {
  readonly id: string;
  readonly points: number;
  readonly count: number;
  readonly capped: number;
  readonly decayed: number;
  readonly discounted: number;
}

/** For a wallet with an activity. */
export interface ResultLine {
  readonly kind: 'result';
  readonly address: string;
  readonly score: number;
  readonly imported: { readonly points: number; readonly count: number };
  readonly rules: readonly RulePoints[];
}

export interface EndLine {
  readonly kind: 'end';
  readonly events: number;
  readonly activities: number;
  /** With a result. */
  readonly wallets: number;
  /** As in `/v1/provenance`. */
  readonly digest: string;
}

export interface CheckpointLine {
  readonly kind: 'checkpoint';
  /** Before it, not counting checkpoints. */
  readonly lines: number;
  readonly sha256: string;
}

/** Graphemes of a message. */
const LONGEST = 500;

/** Why an evidence file doesn't verify. Its message may quote the file, so it's made safe to show. */
export class ProofFault extends Error {
  /** The line where it was found, from 1; undefined if it concerns no single line. */
  readonly line: number | undefined;

  constructor(message: string, line?: number, options?: ErrorOptions) {
    super(
      sanitizeText(line === undefined ? message : `Line ${line}: ${message}`, LONGEST),
      options,
    );
    this.line = line;
  }
}

/** A fault reported by another error. */
export function proofFaultOf(cause: unknown, message: string, line?: number): ProofFault {
  return new ProofFault(message, line, { cause });
}

export type ProofLine =
  | HeaderLine
  | TextLine
  | EventLine
  | ActivityLine
  | ResultLine
  | EndLine
  | CheckpointLine;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Parses a line and checks the form of everything in it.
 * @param number of the line, from 1
 * @throws ProofFault
 */
export function parseProofLine(text: string, number: number): ProofLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw proofFaultOf(error, 'it isn’t JSON.', number);
  }
  if (!isObject(value)) throw new ProofFault('it isn’t a JSON object.', number);
  const form = Object.hasOwn(FORMS, String(value.kind)) ? FORMS[value.kind as Kind] : undefined;
  if (form === undefined) {
    throw new ProofFault(
      `its kind ${shown(value.kind)} doesn’t belong in an evidence file.`,
      number,
    );
  }
  // Those who look for lines of one kind rely on it.
  if (!text.startsWith(`{"kind":"${value.kind}"`)) {
    throw new ProofFault('it doesn’t begin with its kind.', number);
  }
  for (const name of Object.keys(form)) {
    if (!form[name]?.(value[name])) {
      throw new ProofFault(`its "${name}" can’t be ${shown(value[name])}.`, number);
    }
  }
  // Its form, checked above, is that of its kind; the types can't follow a table of checks.
  return value as unknown as ProofLine;
}

type Kind = ProofLine['kind'];
type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const integer: Check = (value) => Number.isSafeInteger(value);
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const sha256: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const time: Check = (value) => typeof value === 'string' && parseTime(value) !== undefined;
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const objectOf =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.keys(fields).every((name) => fields[name]?.(value[name]));
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const args: Check = (value) => isObject(value) && Object.values(value).every(text);

const FORMS: Readonly<Record<Kind, Readonly<Record<string, Check>>>> = {
  header: {
    format: count,
    rules: objectOf({ name: text, version: count, hash: sha256 }),
    asOf: time,
    ends: listOf(objectOf({ source: text, height: count, hash: orNull(text), time: count })),
    sound: listOf(objectOf({ source: text, input: text })),
  },
  rules: { text },
  list: { path: text, text },
  event: {
    address: text,
    source: text,
    input: text,
    height: integer,
    place: text,
    time: integer,
    args,
  },
  activity: {
    address: text,
    id: text,
    type: text,
    description: text,
    points: integer,
    timestamp: integer,
  },
  result: {
    address: text,
    score: count,
    imported: objectOf({ points: integer, count }),
    rules: listOf(
      objectOf({
        id: text,
        points: integer,
        count,
        capped: integer,
        decayed: integer,
        discounted: integer,
      }),
    ),
  },
  end: { events: count, activities: count, wallets: count, digest: sha256 },
  checkpoint: { lines: count, sha256 },
};

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : (JSON.stringify(value) ?? '').slice(0, 60);
}
