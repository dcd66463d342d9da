import type { MaybePromise } from '#base';
import type { Account } from '#command';
import type { Wallet } from '#wallet';
import type { LinkRequest, RequestWay } from './challenge/requests.ts';
import type { AccountRecord, Claim, Link, PrivacyChoice } from './link-records.ts';
import type { LinkChanges, WalletState } from './rules.ts';

/** How to find a request. */
type RequestKey =
  | { readonly ticket: string }
  | { readonly session: string }
  | { readonly account: Account; readonly way: RequestWay };

/**
 * Linked wallets and pending links, in separate tables that no public data uses. Each method is one
 * transaction. Throws RetryableError if the store is unavailable.
 */
export interface LinkStore {
  /**
   * Stores a request in place of the account's earlier one of that kind; deletes expired requests
   * and holds.
   */
  putRequest(request: LinkRequest): MaybePromise<void>;
  /**
   * Deletes requests, holds and what is left of erased accounts that have expired by that time, except those
   * being changed.
   * @returns how many
   */
  prune(now: number): MaybePromise<number>;
  /** An unexpired request, or undefined. */
  findRequest(key: RequestKey, now: number): MaybePromise<LinkRequest | undefined>;
  /**
   * Replaces this request, if it's still the version that was read.
   * @returns false if another writer was faster, or it's gone
   */
  changeRequest(request: LinkRequest): MaybePromise<boolean>;
  /** Requests whose signature is still unchecked, or whose outcome wasn't delivered; oldest first. */
  unfinishedRequests(now: number, limit: number): MaybePromise<readonly LinkRequest[]>;
  /** @returns false if it was gone or changed */
  dropRequest(request: LinkRequest): MaybePromise<boolean>;

  /**
   * Reads the state of a wallet on a platform and applies `decide`'s changes, in one transaction,
   * which is rolled back if `decide` throws.
   * @param delegate another wallet that mustn't change meanwhile
   */
  change(
    wallet: Wallet,
    account: Account,
    decide: (situation: WalletState) => LinkChanges,
    delegate?: Wallet,
  ): MaybePromise<void>;
  /** Oldest first. */
  linksOf(account: Account): MaybePromise<readonly Link[]>;
  /** Claims of other accounts on the account's wallets. */
  claimsAgainst(account: Account): MaybePromise<readonly Claim[]>;
  claimsBy(account: Account): MaybePromise<readonly Claim[]>;
  /** Claims due by that time, oldest first. */
  dueClaims(now: number, limit: number): MaybePromise<readonly Claim[]>;
  /**
   * Links last checked before that time, oldest first; and those with impossible later dates, from
   * before the clock was set back.
   */
  linksToCheck(before: number, latest: number, limit: number): MaybePromise<readonly Link[]>;
  /** Records a check of a link, if it's still the same proof. */
  noteCheck(link: Link, checkedAt: number, strikes: number): MaybePromise<void>;

  /** Undefined if the account hasn't chosen. */
  choiceOf(account: Account): MaybePromise<PrivacyChoice | undefined>;
  /** Choices of accounts on one platform, by id; those that haven't chosen are missing. */
  choicesOf(
    platform: Account['platform'],
    accounts: readonly string[],
  ): MaybePromise<ReadonlyMap<string, PrivacyChoice>>;
  setChoice(account: Account, choice: PrivacyChoice, now: number): MaybePromise<void>;
  recordOf(account: Account): MaybePromise<AccountRecord>;
  /**
   * Erases an account: links, claims, requests, choices, audit, API keys, gating data, and its
   * Linked Roles connection. Its wallets stay reserved until the given time, without saying whose
   * they were. A community's audit keeps what was done, but not to whom or why; the account's
   * actions as a moderator stay.
   */
  erase(account: Account, holdUntil: number): MaybePromise<void>;
}
