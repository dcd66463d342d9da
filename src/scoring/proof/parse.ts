import { parseTime } from '#base';
import {
  type ActivityLine,
  type CheckpointLine,
  type EndLine,
  type EventLine,
  type HeaderLine,
  ProofFault,
  proofFaultOf,
  type ResultLine,
  type TextLine,
} from './format.ts';

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
