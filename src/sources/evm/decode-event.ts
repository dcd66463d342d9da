import { decodeAbiParameters, parseAbiParameters } from 'viem';
import { type Argument, argumentNames, type Signature } from '#scoring';
import { addressDigits, addressOfDigits, type EvmLog, WORD } from './log.ts';

/** The values of the arguments that rules can use, by name. */
type EventArguments = Readonly<Record<string, string>>;

/** Decodes the arguments of a log. @returns undefined if the log isn't this event */
export type EventDecoder = (log: Pick<EvmLog, 'topics' | 'data'>) => EventArguments | undefined;

/** Longer texts and bytes are cut; nothing that rules compare is longer. */
const TEXT_MAX = 4_096;

/** Values in the order of the arguments; undefined where rules can't use one. */
type EventValues = readonly (string | undefined)[];

/**
 * Compiles the decoder of an event. Words, texts and bytes are sliced out of the data; only events with
 * arrays or structs go through viem, which is about fifty times slower.
 */
export function compileEvent(signature: Signature): EventDecoder {
  const valuesOf = compileValues(signature);
  const names = argumentNames(signature.args);
  return (log) => {
    const values = valuesOf(log);
    if (values === undefined) return undefined;
    const named: Record<string, string> = Object.create(null);
    for (const [place, value] of values.entries()) {
      if (value !== undefined) named[names[place] as string] = value;
    }
    return named;
  };
}

/** The same, without names. */
export function compileValues({
  args,
}: Signature): (log: Pick<EvmLog, 'topics' | 'data'>) => EventValues | undefined {
  const indexed = args.filter(({ isIndexed }) => isIndexed);
  const plain = args.filter(({ isIndexed }) => !isIndexed);
  const decodePlain = plain.every(canSlice) ? sliced(plain) : decodedByViem(plain);
  return ({ topics, data }) => {
    if (topics.length !== indexed.length + 1) return undefined;
    const values = decodePlain(data);
    if (values === undefined) return undefined;
    let topic = 1;
    let place = 0;
    const all: (string | undefined)[] = [];
    for (const each of args) {
      if (!each.isIndexed) all.push(values[place++]);
      else {
        const value = wordValue(each, (topics[topic++] as string).slice(2));
        if (value === undefined) return undefined;
        all.push(value);
      }
    }
    return all;
  };
}

const STATIC: ReadonlySet<Argument['kind']> = new Set(['address', 'integer', 'boolean']);

/** A single word, or a text or bytes, whose offset and length are a word each. */
function canSlice({ kind, type }: Argument): boolean {
  return STATIC.has(kind) || isDynamic(type) || (kind === 'bytes' && /^bytes\d+$/.test(type));
}

function isDynamic(type: string): boolean {
  return type === 'string' || type === 'bytes';
}

type PlainDecoder = (data: string) => EventValues | undefined;

function sliced(plain: readonly Argument[]): PlainDecoder {
  return (data) => {
    if (data.length < 2 + plain.length * WORD) return undefined;
    const values: (string | undefined)[] = [];
    for (const [place, each] of plain.entries()) {
      const word = data.slice(2 + place * WORD, 2 + (place + 1) * WORD);
      if (!isDynamic(each.type)) {
        const value = wordValue(each, word);
        if (value === undefined) return undefined;
        values.push(value);
        continue;
      }
      const digits = tailAt(data, word);
      // Another event with this name and these types, or a contract that logs garbage.
      if (digits === undefined) return undefined;
      values.push(plainValue(each, each.kind === 'text' ? textIn(digits) : `0x${digits}`));
    }
    return values;
  };
}

/**
 * The hex digits of a value of variable length: a word with its length in bytes, then the bytes. Source:
 * https://docs.soliditylang.org/en/latest/abi-spec.html, "Formal Specification of the Encoding"
 * @param word the offset from the start of the data
 */
function tailAt(data: string, word: string): string | undefined {
  const start = sizeIn(word);
  if (start === undefined || 2 + 2 * start + WORD > data.length) return undefined;
  const from = 2 + 2 * start + WORD;
  const length = sizeIn(data.slice(from - WORD, from));
  if (length === undefined || from + 2 * length > data.length) return undefined;
  return data.slice(from, from + 2 * length);
}

/** What a word begins with that's no more than 32 bits. */
const SIZE = '0'.repeat(56);

/** A number of bytes; undefined if it's more than any log has. */
function sizeIn(word: string): number | undefined {
  return word.startsWith(SIZE) ? Number.parseInt(word.slice(SIZE.length), 16) : undefined;
}

function textIn(digits: string): string {
  return Buffer.from(digits, 'hex').toString('utf8');
}

function decodedByViem(plain: readonly Argument[]): PlainDecoder {
  const types = parseAbiParameters(plain.map(({ type }) => type).join(', '));
  return (data) => {
    try {
      const values = decodeAbiParameters(types, data as `0x${string}`);
      return plain.every((each, place) => isInRange(each, values[place]))
        ? plain.map((each, place) => plainValue(each, values[place]))
        : undefined;
    } catch {
      // Another event with this name and these types, or a contract that logs garbage.
      return undefined;
    }
  };
}

/** Hex digits of a number below 2^52. */
const SMALL_DIGITS = 13;
const SMALL = '0'.repeat(WORD - SMALL_DIGITS);
const FALSE = '0'.repeat(WORD);
const TRUE = `${'0'.repeat(WORD - 1)}1`;

/** viem doesn't check this of integers, of which some are numbers. */
function isInRange({ kind, type, max }: Argument, value: unknown): boolean {
  if (kind !== 'integer') return true;
  return isWithin(value as number | bigint, type, max);
}

function isWithin(value: number | bigint, type: string, max: bigint | undefined): boolean {
  if (max === undefined) return true;
  return value <= max && value >= (type.startsWith('u') ? 0n : -max - 1n);
}

/**
 * Source: https://docs.soliditylang.org/en/latest/abi-spec.html, "Formal Specification of the Encoding":
 * 0 ≤ x < 2^M for `uintM`, and 0 or 1 for `bool`.
 * @param word 64 lowercase hex digits
 * @returns undefined for what no encoder writes
 */
function wordValue({ kind, type, max }: Argument, word: string): string | undefined {
  switch (kind) {
    case 'address':
      return addressOfDigits(addressDigits(word));
    case 'integer': {
      const value = integerIn(word);
      const read = type.startsWith('u') ? value : BigInt.asIntN(256, BigInt(value));
      return isWithin(read, type, max) ? String(read) : undefined;
    }
    case 'boolean':
      if (word === TRUE) return 'true';
      return word === FALSE ? 'false' : undefined;
    case 'bytes':
      return `0x${word.slice(0, 2 * Number(type.slice(5)))}`;
    case 'hash':
      return `0x${word}`;
    default:
      return undefined;
  }
}

/** Few numbers are so large that they must be read as bigints, which takes several times as long. */
function integerIn(word: string): number | bigint {
  return word.startsWith(SMALL)
    ? Number.parseInt(word.slice(-SMALL_DIGITS), 16)
    : BigInt(`0x${word}`);
}

function plainValue({ kind }: Argument, value: unknown): string | undefined {
  switch (kind) {
    case 'address':
      return addressOfDigits(String(value).slice(2).toLowerCase());
    case 'integer':
    case 'boolean':
      return String(value);
    case 'bytes':
      return cut(String(value).toLowerCase());
    case 'text':
      return cut(String(value).toWellFormed());
    default:
      return undefined;
  }
}

function cut(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX).toWellFormed()}…` : text;
}
