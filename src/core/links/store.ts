import type { Account } from '#core/links/account';
import type { AccountRecord, Claim, Link, PrivacyChoice } from '#core/links/records';
import type { LinkRequest, RequestWay } from '#core/links/requests';
import type { LinkChanges, WalletState } from '#core/links/rules';
import type { MaybePromise } from '#core/maybe-promise';
import type { Wallet } from '#core/wallet';

/** How a request is found. */
type RequestKey =
  | { readonly ticket: string }
  | { readonly session: string }
  | { readonly account: Account; readonly way: RequestWay };

/**
 * Linked wallets and what is under way to become one: tables of their own, which no public figure
 * is made of. Every method is one transaction. Throws RetryableError when the store can't be had.
 */
export interface LinkStore {
  /** Keeps a request in place of the account's earlier one of that way; drops those, and holds, that are over. */
  putRequest(request: LinkRequest): MaybePromise<void>;
  /**
   * Deletes requests and holds that are over at that time, but for those that are being changed.
   * @returns how many there were
   */
  prune(now: number): MaybePromise<number>;
  /** One that is not over at that time, or undefined. */
  findRequest(key: RequestKey, now: number): MaybePromise<LinkRequest | undefined>;
  /**
   * Replaces the request with this id, if it is still the version that was read.
   * @returns false if somebody else was faster, or it is gone
   */
  changeRequest(request: LinkRequest): MaybePromise<boolean>;
  /** @returns false if it was gone or changed */
  dropRequest(request: LinkRequest): MaybePromise<boolean>;

  /**
   * Shows what is known of a wallet on a platform, and applies what `decide` makes of it, in one
   * transaction. What `decide` throws undoes it.
   */
  change(
    wallet: Wallet,
    account: Account,
    decide: (situation: WalletState) => LinkChanges,
  ): MaybePromise<void>;
  /** Oldest first. */
  linksOf(account: Account): MaybePromise<readonly Link[]>;
  /** Of others, on wallets that the account has linked. */
  claimsAgainst(account: Account): MaybePromise<readonly Claim[]>;
  claimsBy(account: Account): MaybePromise<readonly Claim[]>;
  /** Claims whose wait is over at that time, the oldest first. */
  dueClaims(now: number, limit: number): MaybePromise<readonly Claim[]>;
  /**
   * Links that were checked last before that time, the longest ago first; and those that were noted to
   * be checked later than can be, before the clock was set back.
   */
  linksToCheck(before: number, latest: number, limit: number): MaybePromise<readonly Link[]>;
  /** Notes a check of a link, if it is still the one that was proved then. */
  noteCheck(link: Link, checkedAt: number, strikes: number): MaybePromise<void>;

  /** Undefined for who has not chosen. */
  choiceOf(account: Account): MaybePromise<PrivacyChoice | undefined>;
  setChoice(account: Account, choice: PrivacyChoice, now: number): MaybePromise<void>;
  recordOf(account: Account): MaybePromise<AccountRecord>;
  /**
   * Forgets an account: links, claims, requests, choices, audit and API keys, what gating knows of
   * it, and its connection for Linked Roles. Its wallets are held for nobody until the given time,
   * without a word of whose they were. The audit of a community keeps what was done, but not about
   * whom, nor why; what the account did as a moderator stays.
   */
  erase(account: Account, holdUntil: number): MaybePromise<void>;
}
