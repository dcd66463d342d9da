import { messageOf, RetryableError, UserError } from '#base';
import { inputsBySource, isAskedDaily, type SourceInput, type SourcePosition } from '#scoring';
import {
  type ChainSample,
  type HeldBalance,
  ProofFault,
  type ProofSubject,
  parseProofLine,
  SampleCheck,
} from '#scoring/proof';
import { keptCandidate } from '#scoring/rules-file';
import {
  balancesAt,
  type ChainSource,
  countNodes,
  dayEnds,
  HostPaces,
  openSource,
  readAgain,
  SourceStopped,
  sourcePositionAt,
} from '#sources';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { evidenceLines } from './proof-file.ts';

/** How many balances to ask a source for at a time. */
const HELD_AT_ONCE = 5_000;

interface AgainstChainOptions {
  readonly subject: ProofSubject;
  /** The share of the chain's blocks to check: above 0, up to 1. */
  readonly share: number;
  /** Reads the file again. */
  readonly chunks: () => AsyncIterable<Uint8Array>;
  /** Returns an environment variable that the rules name. */
  readonly variable: (name: string) => string | undefined;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onProgress: (
    source: string,
    progress: { readonly done: number; readonly all: number },
  ) => void;
}

/** A source that was read again. */
interface AskedSource {
  readonly id: string;
  readonly nodes: number;
  readonly heights: number;
}

/** What was compared with the chains. */
export interface ComparedEvidence {
  readonly asked: readonly AskedSource[];
  /** How many of the file's events. */
  readonly compared: number;
  /** How many others belong to no rule of the file, only to rules before them. */
  readonly unused: number;
  /** Sources that couldn't be read, with the reason. */
  readonly unasked: readonly { readonly id: string; readonly words: string }[];
}

/** `1%`, `0.5%`, `100%` → 0.01, … @throws UserError `wrong-usage` */
export function parseShare(text: string): number {
  const share = Number(/^(\d{1,3}(?:\.\d{1,6})?)%$/.exec(text)?.[1]) / 100;
  if (share > 0 && share <= 1) return share;
  throw new UserError('wrong-usage', '--against-chain takes a share such as 1%, up to 100%.');
}

/**
 * Reads a random share of the blocks that a file's scores are based on, and compares the events both ways.
 * @throws ProofFault with the first difference
 */
export async function compareWithChains(options: AgainstChainOptions): Promise<ComparedEvidence> {
  const { subject, chunks, signal, variable } = options;
  const { rules } = keptCandidate(subject.rules, createWalletParser(chains)).evaluation;
  const asked: AskedSource[] = [];
  const unasked: { id: string; words: string }[] = [];
  const samples: ChainSample[] = [];
  for (const [id, inputs] of inputsBySource([rules])) {
    const source = rules.sources.find((each) => each.id === id);
    const end = subject.ends.positions.get(id);
    if (source === undefined || end === undefined) {
      unasked.push({ id, words: 'No scores are based on it yet.' });
      continue;
    }
    try {
      const { ranges, events, ...days } = await sampled({ ...options, source, inputs, end });
      samples.push({
        ...{ source: id, inputs: new Set(inputs.map(({ name }) => name)), ranges, ...days },
        events: events.map(({ wallet: { address }, ...event }) => ({ address, ...event })),
      });
      const heights = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
      asked.push({ id, nodes: countNodes(source, variable), heights });
    } catch (error) {
      const isKnown = error instanceof RetryableError || error instanceof SourceStopped;
      if (!isKnown || signal.aborted) throw error;
      unasked.push({ id, words: messageOf(error) });
    }
  }
  const check = new SampleCheck(samples);
  const bySource = inputsBySource([rules]);
  /** Asks a source about some lines, if it can be asked. */
  const asking = async (
    id: string,
    what: string,
    ask: (chain: ChainSource, inputs: readonly SourceInput[]) => Promise<void>,
  ) => {
    const source = rules.sources.find((each) => each.id === id);
    const inputs = bySource.get(id);
    if (source === undefined || inputs === undefined) return;
    if (unasked.some((each) => each.id === id)) return;
    try {
      await withChain(source, variable, (chain) => ask(chain, inputs));
    } catch (error) {
      if (!(error instanceof RetryableError) || signal.aborted) throw error;
      unasked.push({ id, words: `${what}: ${messageOf(error)}` });
    }
  };
  let held: HeldBalance[] = [];
  const askHeld = async (most: number) => {
    held.push(...check.takeHeld());
    if (held.length < most) return;
    const asked = held;
    held = [];
    for (const [id, own] of Map.groupBy(asked, ({ source }) => source)) {
      await asking(id, 'What was held when days ended', (chain, inputs) =>
        checkHeld(chain, inputs, own, signal),
      );
    }
  };
  let number = 0;
  for await (const lines of evidenceLines(chunks())) {
    signal.throwIfAborted();
    for (const text of lines) {
      number += 1;
      if (!text.startsWith('{"kind":"event"')) continue;
      const line = parseProofLine(text, number);
      if (line.kind === 'event') check.take(line, number);
    }
    await askHeld(HELD_AT_ONCE);
  }
  check.finish();
  await askHeld(1);
  for (const [id, starts] of Map.groupBy(check.starts, ({ line }) => line.source)) {
    await asking(id, 'What was held before its first block', (chain, inputs) =>
      checkStarts(chain, inputs, starts, signal),
    );
  }
  return { asked, compared: check.compared, unused: check.unused, unasked };
}

interface SampledSource extends AgainstChainOptions {
  readonly source: Parameters<typeof openSource>[0];
  readonly inputs: Parameters<typeof readAgain>[0]['inputs'];
  readonly end: SourcePosition;
}

async function sampled({ source, inputs, end, ...options }: SampledSource) {
  const { share, random, signal, variable, onProgress } = options;
  const { id } = source;
  return await withChain(source, variable, async (chain) => {
    const read = await readAgain({
      ...{ id, chain, inputs, end, share, random, signal },
      onProgress: (progress) => onProgress(id, progress),
    });
    if (!read.isOtherChain) {
      const asked = new Map<string, number>();
      for (const { name, since } of inputs.filter(isAskedDaily)) {
        asked.set(name, (await chain.begin(since, signal)).height);
      }
      const ends = asked.size > 0 ? await dayEndsIn(chain, read.ranges, end, signal) : [];
      return { ...read, asked, dayEnds: ends };
    }
    throw new ProofFault(
      `Block ${end.height} of ${id} has the hash ${end.hash} in the file, but another one on the chain.`,
    );
  });
}

/** The last heights of the days that end in some ranges. */
async function dayEndsIn(
  chain: ChainSource,
  ranges: ChainSample['ranges'],
  end: SourcePosition,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const heights: number[] = [];
  for (const { from, to } of ranges) {
    const low = await sourcePositionAt(chain, from, signal);
    const high = to < end.height ? await sourcePositionAt(chain, to + 1, signal) : end;
    for await (const { height } of dayEnds(chain, { low, high }, signal)) {
      if (height > from) heights.push(height);
    }
  }
  return heights.sort((one, other) => one - other);
}

async function withChain<T>(
  source: SampledSource['source'],
  variable: AgainstChainOptions['variable'],
  work: (chain: ChainSource) => Promise<T>,
): Promise<T> {
  const paces = new HostPaces();
  try {
    const chain = await openSource(source, variable, paces);
    try {
      return await work(chain);
    } finally {
      await chain.close();
    }
  } finally {
    paces.close();
  }
}

/**
 * Compares what a file says that addresses held when days ended with what the chain says.
 * @param held of this source alone
 * @throws ProofFault with the first difference; RetryableError if no node can tell
 */
export async function checkHeld(
  chain: Pick<ChainSource, 'begin' | 'balancesOf'>,
  inputs: readonly SourceInput[],
  held: readonly HeldBalance[],
  signal: AbortSignal,
): Promise<void> {
  for (const [name, own] of Map.groupBy(held, ({ input }) => input)) {
    const input = inputs.find((each) => each.name === name);
    if (input === undefined) continue;
    for (const [height, all] of Map.groupBy(own, (each) => each.height)) {
      const at = await sourcePositionAt(chain, height, signal);
      const addresses = all.map(({ address }) => address);
      const told = await balancesAt(chain, input, addresses, { at, signal });
      for (const [place, { address, source, balance, isChange, number }] of all.entries()) {
        if (told?.[place] === balance) continue;
        // The contract tells others, but not this one, which keeps what it had.
        if (told !== undefined && told[place] === undefined && !isChange) continue;
        const words = `${address} held ${told?.[place] ?? 'nothing'} at ${source} ${height} by the chain, but the file says ${balance}.`;
        throw new ProofFault(words, number);
      }
    }
  }
}

/** Balances per request. */
const AT_ONCE = 100;

/**
 * Compares what a file says that addresses held before the first block that was read with what the chain says.
 * @param starts of this source alone
 * @throws ProofFault with the first difference; RetryableError if no node can tell
 */
async function checkStarts(
  chain: Pick<ChainSource, 'begin' | 'balancesOf'>,
  inputs: readonly SourceInput[],
  starts: SampleCheck['starts'],
  signal: AbortSignal,
): Promise<void> {
  for (const [name, all] of Map.groupBy(starts, ({ line }) => line.input)) {
    const input = inputs.find((each) => each.name === name);
    const [first] = all;
    if (input?.kind !== 'hold' || first === undefined) continue;
    const isAllowed = 'by' in input.holding && input.holding.by === 'events';
    const at = await chain.begin(input.since, signal);
    for (const { line, number } of all) {
      if (isAllowed && line.height === at.height && line.time === at.time) continue;
      throw new ProofFault(`${line.address} can't have held anything before ${name}.`, number);
    }
    for (let from = 0; from < all.length; from += AT_ONCE) {
      const part = all.slice(from, from + AT_ONCE);
      const addresses = part.map(({ line }) => line.address);
      const told = await chain.balancesOf({ input, addresses, at, signal });
      for (const [place, { line, number }] of part.entries()) {
        const balance = String(told?.[place] ?? 'nothing');
        if (balance === line.args.amount) continue;
        throw new ProofFault(
          `${line.address} held ${balance} at ${line.source} ${line.height} by the chain, but the file says ${line.args.amount}.`,
          number,
        );
      }
    }
  }
}
