import type { SourceEvent, SourceInput, SourcePosition, Start } from '#scoring';
import type { ContractSample } from './evm/contract/sample-contract.ts';
import type { ContractFacts, ContractQuestion } from './evm/inspect/inspect-contract.ts';
import type { AnswerComparison } from './node/disagreement.ts';

/** What to read. */
export interface ReadRequest {
  readonly inputs: readonly SourceInput[];
  /** The position that was read last; everything up to it is known. */
  readonly from: SourcePosition;
  /** The height to stop at: the end of what's final, or the height of other inputs. */
  readonly upTo: number;
  readonly signal: AbortSignal;
}

/** The newest final position that the nodes agree on. */
export interface ChainEnd extends SourcePosition {
  /** A newer one that a single node reports, so that nothing up to there can be compared yet. */
  readonly newest?: SourcePosition;
}

/** What was read: everything after `from`, up to `end`. */
export interface ReadStretch {
  /** In canonical order: height, then the bytes of `place`. */
  readonly events: readonly SourceEvent[];
  /** Above `from` and at most `upTo`; every input is complete up to here. */
  readonly end: SourcePosition;
  /** How many events of each input were left out because they name no wallet or don't fit what it declares. */
  readonly leftOut?: readonly number[];
}

/** A node's state, for operators. Shows only the host of its URL. */
export interface NodeStatus {
  /** Host and port. */
  readonly host: string;
  /** The environment variable with its URL; undefined if it isn't known. */
  readonly variable: string | undefined;
  readonly state: 'untried' | 'ok' | 'behind' | 'failing' | 'unfit';
  /** The newest final height it reported. */
  readonly height: number | undefined;
  /** The widest range it answers, if it was found to have a limit. */
  readonly widest: number | undefined;
  /** Requests, and failed requests, since the start. */
  readonly requests: number;
  readonly failures: number;
  /** The last fault as a sentence; undefined if there's none. */
  readonly lastFault: string | undefined;
}

/** The balances to ask the chain for. */
export interface BalanceQuestion {
  readonly input: SourceInput;
  readonly addresses: readonly string[];
  readonly at: SourcePosition;
  /** Whether the contract is known to have been there: it told balances, or logged something. */
  readonly isThere?: boolean;
  readonly signal: AbortSignal;
}

/**
 * A chain, or a hub of votes, to read events from. Reads only final data and never writes. Every method
 * throws RetryableError if it's unavailable right now, and SourceStopped if reading must not go on; their
 * messages are for operators and name nodes by host only.
 */
export interface ChainSource {
  end(signal: AbortSignal): Promise<ChainEnd>;
  /** The position just before the start: everything from `since` on comes after it. */
  begin(since: Start, signal: AbortSignal): Promise<SourcePosition>;
  /** @throws SourceStopped if `from` is no longer on the chain */
  read(request: ReadRequest): Promise<ReadStretch>;
  /**
   * The chain's own balances; undefined if it has none of this kind.
   * @throws RetryableError if no node can tell right now
   */
  balancesOf(question: BalanceQuestion): Promise<readonly bigint[] | undefined>;
  /** How the newest events of an input fit it; undefined where that can't be told, absent for chains without it. */
  sample?(input: SourceInput, signal: AbortSignal): Promise<ContractSample | undefined>;
  /**
   * What a token calls itself and how it divides, as two nodes say where there are two; absent for chains without it.
   * @param symbol the one that it should have; undefined for any
   * @returns undefined if there's no such token
   * @throws RetryableError, SourceStopped
   */
  tokenUnit?(
    token: string,
    symbol: string | undefined,
    signal: AbortSignal,
  ): Promise<TokenUnit | undefined>;
  /** What a contract is; absent for chains without contracts of this kind. */
  inspect?(question: ContractQuestion, signal: AbortSignal): Promise<ContractFacts>;
  /** The newest events of an input, the newest first; absent where that can't be told. */
  newestEvents?(input: SourceInput, signal: AbortSignal): Promise<readonly SourceEvent[]>;
  nodes(): readonly NodeStatus[];
  /** How often to look for a new end, in milliseconds. */
  readonly pollMs: number;
  /** After this long without a newer end something is wrong; undefined: the source may be quiet. */
  readonly stallMs?: number;
  close(): Promise<void>;
}

/** What a token says of itself, which may be a lie. */
export interface TokenUnit {
  /** As it is, unsafe to show; empty if it has none. */
  readonly symbol: string;
  /** Undefined if it doesn't say, or says what no token can have. */
  readonly decimals: number | undefined;
}

/** How two nodes' words about a token are compared. */
export const UNIT_COMPARISON: AnswerComparison<TokenUnit | undefined> = {
  about: 'a token’s decimals',
  differenceOf: (one, other) =>
    one?.decimals === other?.decimals && one?.symbol === other?.symbol
      ? undefined
      : (node, other) => `${node} and ${other} say different things of the token`,
};

/** Blocks come within seconds, and final ones within minutes: nodes that know no newer one lag behind. */
export const CHAIN_STALL_MS = 3_600_000;

/** What to do where a chain isn't the one that was read: evidence of both can't be mixed. */
export const REREAD_ADVICE =
  'Replace a node that is wrong: what was read from it may lack events, which "fathom evidence verify FILE --against-chain 10%" tells. If it does, or if no node is wrong, give the source another name in a higher version of the rules: it is then read again from the start.';

/** Reading must not go on: the chain isn't the one read before, or nodes contradict each other. */
export class SourceStopped extends Error {
  override readonly name = 'SourceStopped';
}

/** The claim of the replica that reads a source. */
export function sourceClaim(id: string): string {
  return `source ${id}`;
}
