import { decodeAbiParameters, parseAbiParameters } from 'viem';
import type { Argument, Signature } from '#core/scoring/signature/argument';
import type { EvmLog } from './log.ts';
import { addressDigits, WORD, walletOfDigits } from './words.ts';

/** Values of the arguments that rules can use, by the names they're called by. */
type EventArguments = Readonly<Record<string, string>>;

/** Reads the arguments of a log. @returns undefined for a log that isn't this event */
export type EventDecoder = (log: Pick<EvmLog, 'topics' | 'data'>) => EventArguments | undefined;

/** Characters of a text or of bytes that are kept; nothing that rules compare is longer. */
const TEXT_MAX = 4_096;

/**
 * Compiles an event once: values that have a fixed place are cut out of the data, and only events
 * with others are decoded by viem, which takes some fifty times as long.
 */
export function compileEvent({ args }: Signature): EventDecoder {
  const indexed = args.filter(({ isIndexed }) => isIndexed);
  const plain = args.filter(({ isIndexed }) => !isIndexed);
  const isStatic = plain.every(({ kind }) => STATIC.has(kind)) && plain.every(isOneWord);
  const decodePlain = isStatic ? sliced(plain) : decodedByViem(plain);
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

const STATIC: ReadonlySet<Argument['kind']> = new Set(['address', 'integer', 'boolean', 'bytes']);

/** `bytes` is as long as it likes, `bytes32` is a word. */
function isOneWord({ type }: Argument): boolean {
  return type !== 'bytes';
}

type PlainDecoder = (data: string) => readonly (string | undefined)[] | undefined;

function sliced(plain: readonly Argument[]): PlainDecoder {
  return (data) => {
    if (data.length < 2 + plain.length * WORD) return undefined;
    return plain.map((each, place) =>
      wordValue(each, data.slice(2 + place * WORD, 2 + (place + 1) * WORD)),
    );
  };
}

function decodedByViem(plain: readonly Argument[]): PlainDecoder {
  const types = parseAbiParameters(plain.map(({ type }) => type).join(', '));
  return (data) => {
    try {
      const values = decodeAbiParameters(types, data as `0x${string}`);
      return plain.map((each, place) => plainValue(each, values[place]));
    } catch {
      // Data of another event with this name and these types, or of a contract that lies.
      return undefined;
    }
  };
}

/** @param word 64 hex digits in lower case */
function wordValue({ kind, type, max }: Argument, word: string): string | undefined {
  switch (kind) {
    case 'address':
      return walletOfDigits(addressDigits(word)).address;
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
      return walletOfDigits(String(value).slice(2).toLowerCase()).address;
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
