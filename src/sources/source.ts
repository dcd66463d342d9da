import type { Start } from '#core/scoring/model';
import type { SourceInput } from '#core/scoring/reading/input';
import type { SourceEvent, SourcePosition } from '#core/scoring/reading/store';

/** What is to be read. */
export interface ReadRequest {
  readonly inputs: readonly SourceInput[];
  /** What was read last, the events of which are known. */
  readonly from: SourcePosition;
  /** The height that isn't read past: the end of what is final, or where other inputs are. */
  readonly upTo: number;
  readonly signal: AbortSignal;
}

/** What was read: everything behind `from`, up to `end`. */
export interface ReadStretch {
  /** In canonical order: height, then the bytes of `place`. */
  readonly events: readonly SourceEvent[];
  /** Above `from` and at most `upTo`; every input is complete to it. */
  readonly end: SourcePosition;
  /** How many events were left out because they name no wallet, or aren't what they claim to be. */
  readonly leftOut?: number;
}

/** How a node does, for operators. Never with more of its address than the host. */
export interface NodeStatus {
  /** Host and port. */
  readonly host: string;
  readonly state: 'untried' | 'ok' | 'behind' | 'failing' | 'unfit';
  /** The newest final height that it told. */
  readonly height: number | undefined;
  /** The widest range that it answers, where it was found to have a limit. */
  readonly widest: number | undefined;
  /** Requests, and those that failed, since the start. */
  readonly requests: number;
  readonly failures: number;
  /** What was wrong last, for people; undefined when nothing was. */
  readonly lastFault: string | undefined;
}

/** What a balance is compared with. */
export interface BalanceQuestion {
  readonly input: SourceInput;
  readonly addresses: readonly string[];
  readonly at: SourcePosition;
  readonly signal: AbortSignal;
}

/**
 * A chain, or a hub of votes, that events are read from. It reads only what is final and never
 * writes. Every method throws RetryableError when it can't be had now, and SourceStopped when reading
 * must not go on; the messages are for operators and name nodes by their hosts alone.
 */
export interface ChainSource {
  /** The newest final position that the nodes agree on. */
  end(signal: AbortSignal): Promise<SourcePosition>;
  /** The position just before reading begins: everything from `since` on comes behind it. */
  begin(since: Start, signal: AbortSignal): Promise<SourcePosition>;
  /** @throws SourceStopped when `from` is no longer on the chain */
  read(request: ReadRequest): Promise<ReadStretch>;
  /**
   * Balances as the chain itself has them; undefined where it keeps none of this kind.
   * @throws RetryableError when no node can tell them now
   */
  balancesOf(question: BalanceQuestion): Promise<readonly bigint[] | undefined>;
  nodes(): readonly NodeStatus[];
  /** How often a new end is looked for, in milliseconds. */
  readonly lookMs: number;
  close(): Promise<void>;
}

/** Reading must not go on: the chain isn't what was read before, or nodes contradict each other. */
export class SourceStopped extends Error {
  override readonly name = 'SourceStopped';
}
