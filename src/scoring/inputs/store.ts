import type { MaybePromise } from '#base';
import type { Wallet } from '#wallet';

/** A block, slot, round or proposal's end up to and including which a source is read. */
export interface SourcePosition {
  readonly height: number;
  /** Null if the chain has none. */
  readonly hash: string | null;
  /** Seconds since 1970. */
  readonly time: number;
}

/** A chain's event, of one wallet under one input. */
export interface SourceEvent {
  /** The input's index among those requested. */
  readonly input: number;
  readonly wallet: Wallet;
  readonly height: number;
  /** Within the height; see `pathPlace`. */
  readonly place: string;
  /** Seconds since 1970: the time of the block; for a vote, when it was cast. */
  readonly time: number;
  /**
   * JSON of an object with string values, by the arguments' names (or positions): integers in
   * decimal digits, addresses canonical, bytes and hashes as 0x and lower-case hex, booleans as
   * `true` and `false`. What rules can't use is left out. For a balance, it's `{"amount":"-5"}`.
   */
  readonly args: string;
  /** How an explorer finds it: hash or id of the transaction, id of the vote. */
  readonly transaction: string;
}

/** What is stored about an input. */
export interface InputState {
  readonly source: string;
  readonly name: string;
  readonly position: SourcePosition;
  /**
   * For a balance: whether its sums match the chain's own. Undefined until checked, and for inputs
   * that need no check; `sound`, or else why the rule can't pay.
   */
  readonly verdict: string | undefined;
  /** How many events it has. */
  readonly events: number;
  /** How many were left out because they name no wallet or don't fit what it declares. */
  readonly leftOut: number;
}

/** Events after `from`, up to `to`, written together with both in one transaction. */
export interface EvidenceStretch {
  readonly source: string;
  /** Names of inputs, all of which are at `from`. */
  readonly inputs: readonly string[];
  readonly from: SourcePosition;
  readonly to: SourcePosition;
  readonly events: readonly SourceEvent[];
  /** How many of each input were left out because they name no wallet or don't fit, in the order of `inputs`. */
  readonly leftOut?: readonly number[];
}

/** Evidence of chains: what was read, and how far. Throws RetryableError. */
export interface EvidenceStore {
  /** All inputs of chains. */
  inputs(): MaybePromise<readonly InputState[]>;
  /** How many events of each source were ever left out. */
  leftOut(): MaybePromise<ReadonlyMap<string, number>>;
  /**
   * Adds unknown inputs, with where reading them begins. Known ones stay unchanged.
   * @throws UserError `wrong-configuration` if the source's evidence is of another chain
   */
  begin(
    source: { readonly id: string; readonly chain: string },
    inputs: readonly { readonly name: string; readonly position: SourcePosition }[],
  ): MaybePromise<void>;
  /**
   * Writes a range, in one transaction.
   * @returns false, with nothing written, if one of its inputs is at another position
   */
  append(stretch: EvidenceStretch): MaybePromise<boolean>;
  /**
   * Records whether an input's balances can be trusted. Wallets with such balances are scored
   * again.
   */
  setVerdict(source: string, input: string, verdict: string): MaybePromise<void>;
  /**
   * Forgets which inputs' balances weren't the chain's, so that they're compared again.
   * @returns the names of those inputs
   */
  forgetRefusals(source: string): MaybePromise<readonly string[]>;
  /** Changes in balances under an input, of wallets with numbers above `from` up to `to`. */
  balances(
    source: string,
    input: string,
    from: number,
    to: number,
  ): MaybePromise<readonly WalletBalance[]>;
}

/** How a wallet's balance changed. */
export interface WalletBalance {
  readonly wallet: Wallet;
  /** In canonical order. */
  readonly changes: readonly { readonly time: number; readonly amount: bigint }[];
}
