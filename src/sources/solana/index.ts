import { base58 } from '@scure/base';
import { DAY_SECONDS, RetryableError, UserError } from '#base';
import {
  pathPlace,
  type SourceEvent,
  type SourceInput,
  type SourcePosition,
  type Start,
} from '#scoring';
import { MalformedAnswer } from '#sources/node/answer-schema';
import { eventDifference, heightsOf, positionComparison } from '#sources/node/disagreement';
import type { NodeCall } from '#sources/node/node';
import { type NodePool, type NodeSourceOptions, openPool } from '#sources/node/pool';
import {
  CHAIN_STALL_MS,
  type ChainEnd,
  type ChainSource,
  type NodeStatus,
  REREAD_ADVICE,
  type ReadRequest,
  type ReadStretch,
  SourceStopped,
} from '#sources/source';
import { firstHeightAt, requireReached } from '#sources/starts';
import { solana } from '#wallet/chains';
import {
  blockUpTo,
  type CompiledInstruction,
  firstSlotOf,
  type ListedSignature,
  newestBlock,
  type SolanaTransaction,
  transactionOf,
} from './node.ts';
import { hasSucceeded, listSignatures, MOST_HELD, ProgramList } from './signature-list.ts';

/** Concurrent requests for transactions. */
const AT_ONCE = 8;

/** What was read from some slots. */
interface SolanaSlots {
  /** In canonical order: slot, signature, position of the instruction. */
  readonly events: readonly SourceEvent[];
  /** By an input's place: how many instructions name no wallet, as they lack the account or its owner isn't known. */
  readonly nobody: ReadonlyMap<number, number>;
}

/**
 * The events of some inputs in the listed transactions.
 * @param listed each once
 * @throws NodeFault; of kind `behind` if the node lacks a listed transaction
 */
async function readTransactions(
  call: NodeCall,
  listed: readonly ListedSignature[],
  inputs: readonly { readonly place: number; readonly input: InstructionInput }[],
): Promise<SolanaSlots> {
  // Failed transactions had no effect and aren't requested.
  const wanted = listed.filter(hasSucceeded);
  const events: SourceEvent[] = [];
  const nobody = new Map<number, number>();
  for (let from = 0; from < wanted.length; from += AT_ONCE) {
    const some = wanted.slice(from, from + AT_ONCE);
    const read = await Promise.all(some.map((each) => call.again(() => transactionOf(call, each))));
    for (const [index, transaction] of read.entries()) {
      const time = transaction.blockTime ?? some[index]?.blockTime;
      if (time === undefined || time === null) {
        throw call.fault('behind', `doesn't know the time of slot ${transaction.slot}`);
      }
      const onNobody = (place: number) => {
        nobody.set(place, (nobody.get(place) ?? 0) + 1);
      };
      events.push(...call.checked(() => eventsIn(transaction, time, inputs, onNobody)));
    }
  }
  events.sort((a, b) => a.height - b.height || byText(a.place, b.place) || a.input - b.input);
  return { events, nobody };
}

function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

const POLL_MS = 5_000;
const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 20_000;
/** How many lists to keep: one for each program and set of inputs at the same height. */
const LISTS_MOST = 200;

const slots = heightsOf('slot');

/** Instructions of Solana programs, read from nodes. */
export class SolanaSource implements ChainSource {
  readonly pollMs = POLL_MS;
  readonly stallMs = CHAIN_STALL_MS;
  readonly #pool: NodePool;
  readonly #id: string;
  readonly #mostHeld: number;
  readonly #lists = new Map<string, ProgramList>();

  /** @param mostHeld how many signatures of a program to keep at once */
  constructor(options: NodeSourceOptions, mostHeld = MOST_HELD) {
    this.#mostHeld = mostHeld;
    this.#id = options.id;
    this.#pool = openPool(options, { maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS });
  }

  async end(signal: AbortSignal): Promise<ChainEnd> {
    return await this.#pool.head((call) => call.again(() => newestBlock(call)), signal);
  }

  async begin(since: Start, signal: AbortSignal): Promise<SourcePosition> {
    const head = await this.end(signal);
    requireReached(since, head, this.#id, 'slot');
    const start = async (call: NodeCall) => {
      const first =
        since.kind === 'height'
          ? Number(since.height)
          : await firstSlotAt(call, since.day * DAY_SECONDS, head.height);
      return await call.again(() => blockUpTo(call, Math.max(0, first - 1)));
    };
    const comparison = positionComparison('slot', head.height);
    return await this.#pool.agreed(start, comparison, signal);
  }

  async read(request: ReadRequest): Promise<ReadStretch> {
    const { inputs, from, upTo, signal } = request;
    const placed = inputs.map((input, place) => ({ place, input: instructionOf(input) }));
    const programs = [...new Set(placed.map(({ input }) => input.program))];
    const lane = inputs.map(({ name }) => name).join('\n');
    const lists = programs.map((program) => this.#listOf(program, lane));
    await this.#requireSame(from, signal);
    for (const list of lists) {
      if (list.covers(from.height)) continue;
      await this.#pool.ask((call) => list.fill(call, from.height, upTo), signal);
    }
    const to = Math.min(upTo, ...lists.map((list) => list.endOf(from.height)));
    const own = lists.map((list) => list.between(from.height, to));
    const work = async (call: NodeCall, listed: readonly (readonly ListedSignature[])[]) => {
      const once = new Map(listed.flat().map((each) => [each.signature, each]));
      return await readTransactions(call, [...once.values()], placed);
    };
    const { events, nobody } = this.#pool.isCompared
      ? await this.#pool.agreed(
          async (call) => {
            const options = programs.map((program, index) => {
              const start = lists[index]?.startAbove(to, upTo);
              const cursors = start === undefined ? [] : [start];
              const mostHeld = Number.POSITIVE_INFINITY;
              return { program, from: from.height, upTo: to, cursors, mostHeld };
            });
            return await work(call, await listAll(call, options));
          },
          {
            about: slots(from.height + 1, to),
            differenceOf: (one, other) => eventDifference(one.events, other.events, slots),
          },
          signal,
        )
      : await this.#pool.ask((call) => work(call, own), signal);
    const end = await this.#blockUpTo(to, signal);
    const leftOut = inputs.map((_, place) => nobody.get(place) ?? 0);
    if (end.height > from.height) return { events, leftOut, end };
    if (to === upTo)
      throw new RetryableError(`${this.#id} has no block between ${from.height} and ${to}.`);
    // While the chain had halted, there were slots without blocks.
    return await this.read({ ...request, from: { height: to, hash: null, time: from.time } });
  }

  /** Token balances aren't read. */
  async balancesOf(): Promise<undefined> {
    return undefined;
  }

  nodes(): readonly NodeStatus[] {
    return this.#pool.status();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #requireSame({ height, hash: known }: SourcePosition, signal: AbortSignal): Promise<void> {
    if (known === null) return;
    const block = await this.#blockUpTo(height, signal);
    if (block.height === height && block.hash === known) return;
    throw new SourceStopped(
      `Slot ${height} is no longer the block that was read: it was ${known}, now it's ${block.hash} of slot ${block.height}. Nothing is counted and nothing deleted. ${REREAD_ADVICE}`,
    );
  }

  async #blockUpTo(slot: number, signal: AbortSignal): Promise<SourcePosition> {
    const comparison = positionComparison('slot', slot);
    return await this.#pool.agreed(
      (call) => call.again(() => blockUpTo(call, slot)),
      comparison,
      signal,
    );
  }

  #listOf(program: string, lane: string): ProgramList {
    const key = `${program}\n${lane}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    if (this.#lists.size >= LISTS_MOST) this.#lists.clear();
    const list = new ProgramList(program, this.#mostHeld);
    this.#lists.set(key, list);
    return list;
  }
}

async function listAll(
  call: NodeCall,
  options: readonly Parameters<typeof listSignatures>[1][],
): Promise<ListedSignature[][]> {
  const lists: ListedSignature[][] = [];
  for (const each of options) {
    const { listed } = await listSignatures(call, each);
    lists.push(listed.filter(({ slot }) => slot > each.from && slot <= each.upTo));
  }
  return lists;
}

/** The first slot whose block isn't before a time, among the blocks that the node still has. */
async function firstSlotAt(call: NodeCall, time: number, head: number): Promise<number> {
  const first = await firstSlotOf(call);
  const oldest = first <= 1 ? undefined : await blockUpTo(call, first);
  if (oldest !== undefined && oldest.time >= time) {
    throw call.fault('unfit', `no longer has slots before ${first}`);
  }
  return await firstHeightAt(time, first, head, async (slot) => {
    return (await call.again(() => blockUpTo(call, slot))).time;
  });
}

function instructionOf(input: SourceInput): InstructionInput {
  if (input.kind === 'instruction') return input;
  throw new Error(`${input.name} isn't of Solana`);
}

type InstructionInput = Extract<SourceInput, { kind: 'instruction' }>;

/** An instruction with its position: that of the outer one, then the index among the inner ones. */
interface PlacedInstruction {
  readonly instruction: CompiledInstruction;
  readonly path: readonly number[];
}

/**
 * The events of some inputs in a transaction.
 * @param time of its block, in seconds since 1970
 * @param onNobody called for an instruction that lacks the account, or whose owner isn't known
 * @throws MalformedAnswer
 */
function eventsIn(
  transaction: SolanaTransaction,
  time: number,
  inputs: readonly { readonly place: number; readonly input: InstructionInput }[],
  onNobody: (place: number) => void,
): SourceEvent[] {
  if (transaction.meta.err !== null && transaction.meta.err !== undefined) return [];
  const keys = keysOf(transaction);
  const signer = checkedAddress(keys[0] as string);
  const [signature = ''] = transaction.transaction.signatures;
  const events: SourceEvent[] = [];
  for (const { instruction, path } of instructionsOf(transaction)) {
    const program = keyAt(keys, instruction.programIdIndex);
    for (const { place, input } of inputs) {
      if (program !== input.program || !hasPrefix(instruction.data, input.prefix)) continue;
      const address = ownerOf(input, instruction, transaction, keys);
      if (address === undefined) {
        onNobody(place);
        continue;
      }
      events.push({
        input: place,
        wallet: { chain: 'solana', address: checkedAddress(address) },
        height: transaction.slot,
        place: pathPlace([signature, ...path]),
        time,
        args: JSON.stringify({ signer }),
        transaction: signature,
      });
    }
  }
  return events;
}

/** Static keys, then those loaded from lookup tables, writable ones first. */
function keysOf({ transaction, meta }: SolanaTransaction): readonly string[] {
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  return [...transaction.message.accountKeys, ...writable, ...readonly];
}

/** Each before the instructions it called. */
function instructionsOf({ transaction, meta }: SolanaTransaction): PlacedInstruction[] {
  const { instructions } = transaction.message;
  // Not an empty list: programs may have called others, but the node didn't record it.
  if (!Array.isArray(meta.innerInstructions)) {
    throw new MalformedAnswer(
      `has no record of the inner instructions of ${transaction.signatures[0]}; use a node that has, or a later "since"`,
    );
  }
  const inner = new Map<number, readonly CompiledInstruction[]>();
  for (const { index, instructions: called } of meta.innerInstructions) {
    if (index >= instructions.length || inner.has(index)) {
      throw new MalformedAnswer('sent inner instructions of a missing instruction');
    }
    inner.set(index, called);
  }
  return instructions.flatMap((instruction, outer) => [
    { instruction, path: [outer] },
    ...(inner.get(outer) ?? []).map((called, at) => ({ instruction: called, path: [outer, at] })),
  ]);
}

function hasPrefix(data: string, prefix: string): boolean {
  return (
    prefix === '0x' || Buffer.from(base58.decode(data)).toString('hex').startsWith(prefix.slice(2))
  );
}

/** Undefined if the instruction lacks this account, or its owner isn't known. */
function ownerOf(
  { wallet }: InstructionInput,
  { accounts }: CompiledInstruction,
  { meta }: SolanaTransaction,
  keys: readonly string[],
): string | undefined {
  if (wallet.kind === 'argument') return keys[0];
  if (wallet.kind === 'given') throw new Error('an instruction names its wallet');
  const index = accounts[wallet.place];
  if (index === undefined) return undefined;
  const address = keyAt(keys, index);
  if (wallet.kind === 'account') return address;
  // Balances before the transaction come first: an account that it closes has none after.
  const balances = [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])];
  return balances.find(({ accountIndex, owner }) => accountIndex === index && owner !== undefined)
    ?.owner;
}

function keyAt(keys: readonly string[], index: number): string {
  const key = keys[index];
  if (key === undefined) throw new MalformedAnswer('sent an instruction with an account it lacks');
  return key;
}

function checkedAddress(text: string): string {
  try {
    return solana.canonical(text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new MalformedAnswer('sent an invalid address', { cause: error });
  }
}
