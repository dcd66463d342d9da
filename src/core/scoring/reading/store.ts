import type { MaybePromise } from '#core/maybe-promise';
import type { Wallet } from '#core/wallet';

/** A block, slot, round or end of a proposal up to which a source is read, itself included. */
export interface SourcePosition {
  readonly height: number;
  /** Null where the chain has none. */
  readonly hash: string | null;
  /** Seconds since 1970. */
  readonly time: number;
}

/** An event as a chain has it, of one wallet under one input. */
export interface SourceEvent {
  /** The input's place among those that were asked for. */
  readonly input: number;
  readonly wallet: Wallet;
  readonly height: number;
  /** Within the height; see `pathPlace`. */
  readonly place: string;
  /** Seconds since 1970: the time of the block; of a vote, when it was cast. */
  readonly time: number;
  /**
   * JSON of an object whose values are all texts, by the names (or places) of the arguments: integers
   * in decimal digits, addresses canonical, bytes and hashes as lower-case hex behind 0x, booleans as
   * `true` and `false`. What rules can't use is left out. Of a balance it is `{"amount":"-5"}`.
   */
  readonly args: string;
  /** What an explorer finds it by: hash or id of the transaction, id of the vote. */
  readonly transaction: string;
}

/** What is kept of an input. */
export interface InputState {
  readonly source: string;
  readonly name: string;
  readonly position: SourcePosition;
  /**
   * Of a balance: whether its sums were found to be the chain's own. Undefined until that was looked
   * at, and for inputs that need no such look; `sound`, or else why the rule can't pay.
   */
  readonly verdict: string | undefined;
}

/** Events behind `from`, up to `to`, with both of which they're written in one transaction. */
export interface EvidenceStretch {
  readonly source: string;
  /** Names of inputs, all of which are at `from`. */
  readonly inputs: readonly string[];
  readonly from: SourcePosition;
  readonly to: SourcePosition;
  readonly events: readonly SourceEvent[];
}

/** Evidence of chains: what was read, and up to where. Throws RetryableError. */
export interface EvidenceStore {
  /** All inputs of chains. */
  inputs(): MaybePromise<readonly InputState[]>;
  /**
   * Notes inputs that aren't known yet, with where reading them begins. Those that are known stay as
   * they are.
   * @throws UserError `wrong-configuration` when the source's evidence is of another chain
   */
  begin(
    source: { readonly id: string; readonly chain: string },
    inputs: readonly { readonly name: string; readonly position: SourcePosition }[],
  ): MaybePromise<void>;
  /**
   * Writes a stretch, in one transaction.
   * @returns false when one of its inputs is elsewhere: nothing was written
   */
  append(stretch: EvidenceStretch): MaybePromise<boolean>;
  /** Notes whether the balances of an input can be trusted. Wallets with them are scored again. */
  judge(source: string, input: string, verdict: string): MaybePromise<void>;
  /** The changes of balances under an input, of wallets with numbers above `from` up to `to`. */
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
