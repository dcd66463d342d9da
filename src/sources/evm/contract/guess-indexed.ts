import { type Argument, parseSolidityEvent, type Signature } from '#scoring';
import { compileValues } from '#sources/evm/decode-event';
import type { EvmLog } from '#sources/evm/log';
import { WORD } from '#sources/evm/words';

type SampledLog = Pick<EvmLog, 'topics' | 'data'>;

/** Arguments whose `indexed` is the other way round in the contract, as far as logs show it. */
export interface GuessedIndexed {
  readonly isIndexed: readonly string[];
  readonly isPlain: readonly string[];
}

/**
 * Finds which arguments a contract indexes, from logs that don't fit an event's declaration.
 * @returns undefined if no choice of arguments fits all logs
 */
export function guessIndexed(
  { name, args }: Signature,
  logs: readonly SampledLog[],
): GuessedIndexed | undefined {
  const count = (logs[0]?.topics.length ?? 0) - 1;
  const changesOf = (flags: readonly boolean[]) =>
    flags.filter((flag, place) => flag !== args[place]?.isIndexed).length;
  const [best] = choices(args.length, count)
    .filter((flags) => {
      const event = parseSolidityEvent(declarationOf(name, args, flags));
      const valuesOf = compileValues(event);
      return logs.every((log) => valuesOf(log) !== undefined && isPlausible(event, log));
    })
    .sort((one, other) => changesOf(one) - changesOf(other));
  if (best === undefined) return undefined;
  const changed = (isIndexed: boolean) =>
    args.flatMap((each, place) =>
      best[place] === isIndexed && each.isIndexed !== isIndexed ? [each.name ?? String(place)] : [],
    );
  return { isIndexed: changed(true), isPlain: changed(false) };
}

function declarationOf(name: string, args: readonly Argument[], flags: readonly boolean[]): string {
  const parts = args.map(({ type, name: own = '' }, place) =>
    [type, flags[place] === true ? 'indexed' : '', own].join(' '),
  );
  return `${name}(${parts.join(',')})`;
}

/** All ways of choosing so many of some places; none where there are too many. */
function choices(places: number, count: number): boolean[][] {
  if (count < 0 || count > places || places > 16) return [];
  if (places === 0) return [[]];
  return [
    ...choices(places - 1, count - 1).map((rest) => [true, ...rest]),
    ...choices(places - 1, count).map((rest) => [false, ...rest]),
  ];
}

const BEFORE_ADDRESS = '0'.repeat(WORD - 40);
/** Numbers below 2^80 have as many zeros, and no address that anybody has a key for. */
const BEFORE_NUMBER = '0'.repeat(WORD - 20);

/** Whether words that should be addresses have an address's length, and nothing is left of the data. */
function isPlausible({ args }: Signature, { topics, data }: SampledLog): boolean {
  let topic = 1;
  let place = 0;
  for (const { kind, isIndexed } of args) {
    const from = 2 + place * WORD;
    const word = isIndexed ? (topics[topic++] ?? '').slice(2) : data.slice(from, from + WORD);
    if (!isIndexed) place += 1;
    if (kind === 'address' && !word.startsWith(BEFORE_ADDRESS)) return false;
    if (kind === 'address' && word.startsWith(BEFORE_NUMBER) && /[^0]/.test(word)) return false;
  }
  const isFixed = args.every(
    ({ kind, type, isIndexed }) =>
      isIndexed || ['address', 'integer', 'boolean'].includes(kind) || /^bytes\d+$/.test(type),
  );
  return !isFixed || data.length === 2 + place * WORD;
}
