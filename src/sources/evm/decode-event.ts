import { decodeAbiParameters, parseAbiParameters } from 'viem';
import type { Argument, Signature } from '#core/scoring/signature/argument';
import type { EvmLog } from './log.ts';
import { addressDigits, addressOfDigits, WORD } from './words.ts';

/** The values of the arguments that rules can use, by name. */
type EventArguments = Readonly<Record<string, string>>;

/** Decodes the arguments of a log. @returns undefined if the log isn't this event */
export type EventDecoder = (log: Pick<EvmLog, 'topics' | 'data'>) => EventArguments | undefined;

/** Longer texts and bytes are cut; nothing that rules compare is longer. */
const TEXT_MAX = 4_096;

/**
 * Compiles the decoder of an event. Words, texts and bytes are sliced out of the data; only events with
 * arrays or structs go through viem, which is about fifty times slower.
 */
export function compileEvent({ args }: Signature): EventDecoder {
  const indexed = args.filter(({ isIndexed }) => isIndexed);
  const plain = args.filter(({ isIndexed }) => !isIndexed);
  const decodePlain = plain.every(canSlice) ? sliced(plain) : decodedByViem(plain);
  const names = new Map(args.map((each, place) => [each, each.name ?? String(place)]));
  return ({ topics, data }) => {
    if (topics.length !== indexed.length + 1) return undefined;
    const values = decodePlain(data);
    if (values === undefined) return undefined;
    const named: Record<string, string> = Object.create(null);
    let topic = 1;
    let place = 0;
    for (const each of args) {
      const value = each.isIndexed
        ? wordValue(each, (topics[topic++] as string).slice(2))
        : values[place++];
      if (value !== undefined) named[names.get(each) as string] = value;
    }
    return named;
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

type PlainDecoder = (data: string) => readonly (string | undefined)[] | undefined;

function sliced(plain: readonly Argument[]): PlainDecoder {
  return (data) => {
    if (data.length < 2 + plain.length * WORD) return undefined;
    const values: (string | undefined)[] = [];
    for (const [place, each] of plain.entries()) {
      const word = data.slice(2 + place * WORD, 2 + (place + 1) * WORD);
      if (!isDynamic(each.type)) {
        values.push(wordValue(each, word));
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

/** A number of bytes; undefined if it's more than any log has. */
function sizeIn(word: string): number | undefined {
  return /^0{56}/.test(word) ? Number(`0x${word.slice(56)}`) : undefined;
}

function textIn(digits: string): string {
  return Buffer.from(digits, 'hex').toString('utf8');
}

function decodedByViem(plain: readonly Argument[]): PlainDecoder {
  const types = parseAbiParameters(plain.map(({ type }) => type).join(', '));
  return (data) => {
    try {
      const values = decodeAbiParameters(types, data as `0x${string}`);
      return plain.map((each, place) => plainValue(each, values[place]));
    } catch {
      // Another event with this name and these types, or a contract that logs garbage.
      return undefined;
    }
  };
}

/** @param word 64 lowercase hex digits */
function wordValue({ kind, type, max }: Argument, word: string): string | undefined {
  switch (kind) {
    case 'address':
      return addressOfDigits(addressDigits(word));
    case 'integer': {
      const value = BigInt(`0x${word}`);
      if (type.startsWith('u')) return String(value);
      const signed = BigInt.asIntN(256, value);
      return max === undefined || (signed <= max && signed >= -max - 1n)
        ? String(signed)
        : undefined;
    }
    case 'boolean':
      return /^0*$/.test(word) ? 'false' : 'true';
    case 'bytes':
      return `0x${word.slice(0, 2 * Number(type.slice(5)))}`;
    case 'hash':
      return `0x${word}`;
    default:
      return undefined;
  }
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
