import {
  type CommunityGating,
  type CommunityGatingOptions,
  createGating,
} from '#app/members/gating';
import { RetryableError } from '#base/errors';
import type { Card } from '#command/cards/card';
import type {
  ChangeOutcome,
  CommunityAdapter,
  EditOutcome,
  Member,
  PostOutcome,
  ReportPlace,
  ReportRefusal,
  RuleBlocker,
} from '#gating/community-adapter';
import { NotSent } from '#gating/platform';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { partOfMemoryStore } from './empty-store.ts';
import { fixedSource } from './fixed-source.ts';
import { silentLog } from './log.ts';
import { patienceMs } from './patience.ts';

/**
 * The real gating; any part can be replaced, and there's no platform unless one is given. Moderators wait for their
 * runs, however slow the machine is.
 */
export function gatingWith(changes: Partial<CommunityGatingOptions> = {}): CommunityGating {
  return createGating({
    store: changes.store ?? partOfMemoryStore('gating'),
    source: changes.source ?? fixedSource(),
    wallets: createWalletParser(chains),
    thresholds: DEFAULT_THRESHOLDS,
    walletsOf: async () => [],
    announcedAmong: async (_, accounts) => new Set(accounts),
    adapterOf: () => undefined,
    revision: () => undefined,
    log: silentLog,
    patience: patienceMs(),
    ...changes,
  });
}

/** An in-memory community as an adapter sees it, with faults that can be switched on. */
export class TestAdapter implements CommunityAdapter {
  /** Roles by member; anyone else isn't a member. */
  readonly roles = new Map<string, Set<string>>();
  readonly admins = new Set<string>();
  /** Pending requests to join. */
  readonly requests = new Set<string>();
  readonly calls: string[] = [];
  readonly reports: Card[] = [];
  /** Messages for everybody. */
  readonly posts: { readonly channel: string; card: Card; isDeleted?: boolean }[] = [];
  /** How many of them were edited, each time. */
  edits = 0;
  /** Ids of those that were pinned. */
  readonly pinned: string[] = [];
  /** See `Posting.botName`. */
  botName?: () => string | undefined;
  /** As on a platform that knows a message by its key for a while, within a channel. */
  postsOnceFor = 120;
  /** What becomes of the next attempts: nothing is sent, or its answer is lost. */
  postsFail: 'unsent' | 'lost' | undefined;
  /** Where each of them went. */
  readonly reportedTo: string[] = [];
  /** Channels that no longer exist. */
  readonly closed = new Set<string>();
  places: readonly ReportPlace[] = [];
  readonly #keys = new Set<string>();
  readonly told: { readonly account: string; readonly card: Card }[] = [];
  blockers: readonly RuleBlocker[] = [];
  /** Moderators whose highest role isn't above what rules grant. */
  readonly lowMakers = new Set<string>();
  /** Who isn't a moderator any more. */
  readonly formerModerators = new Set<string>();
  /** The community's choice. */
  language: string | undefined;
  /** When members joined, in seconds since 1970. */
  readonly joinedAt = new Map<string, number>();
  /** Whether all members can be listed. */
  lists = false;
  /** Called before each call; it may throw, or return the call's outcome. */
  before: (call: string) => ChangeOutcome | undefined = () => undefined;

  join(account: string, ...roles: string[]): void {
    this.roles.set(account, new Set(roles));
  }

  holders(role: string): string[] {
    return [...this.roles].filter(([, roles]) => roles.has(role)).map(([account]) => account);
  }

  async inspect(
    _?: string,
    __?: string,
    maker = '',
  ): Promise<Awaited<ReturnType<CommunityAdapter['inspect']>>> {
    const own: RuleBlocker[] = this.lowMakers.has(maker) ? ['role-above-maker'] : [];
    return { name: 'Whales', blockers: [...this.blockers, ...own] };
  }

  async member(_: string, account: string): Promise<Member | undefined> {
    this.#call(`member ${account}`);
    return this.#memberOf(account);
  }

  async moderates(_: string, account: string): Promise<boolean> {
    this.#call(`moderates ${account}`);
    return !this.formerModerators.has(account);
  }

  members(_: string): AsyncIterable<readonly Member[]> | undefined {
    return this.lists ? this.#pages() : undefined;
  }

  async *#pages(): AsyncGenerator<readonly Member[]> {
    const all = [...this.roles.keys()].map((account) => this.#memberOf(account) as Member);
    for (let at = 0; at < all.length; at += 100) {
      this.#call(`members ${at}`);
      yield all.slice(at, at + 100);
    }
  }

  async give(_: string, account: string, grant: string): Promise<ChangeOutcome> {
    const forced = this.#call(`give ${account} ${grant}`);
    if (forced !== undefined) return forced;
    if (this.requests.delete(account)) this.join(account);
    const roles = this.roles.get(account);
    roles?.add(grant);
    return roles === undefined ? 'left' : 'done';
  }

  async take(_: string, account: string, grant: string): Promise<ChangeOutcome> {
    const forced = this.#call(`take ${account} ${grant}`);
    if (forced !== undefined) return forced;
    if (this.admins.has(account)) return 'spared';
    const roles = this.roles.get(account);
    roles?.delete(grant);
    return roles === undefined ? 'left' : 'done';
  }

  async locale(): Promise<string | undefined> {
    return this.language;
  }

  async invite(): Promise<string | undefined> {
    return 'https://t.me/+invite';
  }

  async notify(_: string, account: string, card: Card): Promise<boolean> {
    this.told.push({ account, card });
    return true;
  }

  async report(
    _: string,
    channel: string,
    card: Card,
    key?: string,
  ): Promise<true | ReportRefusal> {
    this.before(`report ${channel}`);
    if (this.closed.has(channel)) return 'channel-closed';
    if (key === undefined || !this.#keys.has(key)) {
      this.reports.push(card);
      this.reportedTo.push(channel);
    }
    if (key !== undefined) this.#keys.add(key);
    return true;
  }

  async post(_: string, channel: string, card: Card, key: string): Promise<PostOutcome> {
    this.before(`post ${channel}`);
    if (this.postsFail === 'unsent') throw new NotSent('away');
    if (this.closed.has(channel)) return { refused: 'channel-closed' };
    const known = `${channel} ${key}`;
    if (this.postsOnceFor === 0 || !this.#keys.has(known)) this.posts.push({ channel, card });
    this.#keys.add(known);
    if (this.postsFail === 'lost') throw new RetryableError('lost');
    return { message: String(this.posts.length) };
  }

  async editPost(_: string, channel: string, message: string, card: Card): Promise<EditOutcome> {
    this.before(`edit ${message}`);
    if (this.closed.has(channel)) return { refused: 'channel-closed' };
    const post = this.posts[Number(message) - 1];
    if (post === undefined || post.isDeleted === true) return 'gone';
    this.edits += 1;
    post.card = card;
    return 'done';
  }

  async deletePost(_: string, channel: string, message: string): Promise<boolean> {
    this.before(`delete post ${message}`);
    if (this.closed.has(channel)) return false;
    const post = this.posts[Number(message) - 1];
    if (post !== undefined) post.isDeleted = true;
    return true;
  }

  async pinPost(_: string, message: string): Promise<void> {
    this.before(`pin ${message}`);
    this.pinned.push(message);
  }

  async otherPlaces(): Promise<readonly ReportPlace[]> {
    return this.places;
  }

  #call(call: string): ChangeOutcome | undefined {
    const outcome = this.before(call);
    this.calls.push(call);
    return outcome;
  }

  #memberOf(account: string): Member | undefined {
    const roles = this.roles.get(account);
    if (roles === undefined) return undefined;
    const isAdmin = this.admins.has(account);
    return {
      id: account,
      name: `member ${account}`,
      grants: [...roles],
      isAdmin,
      joinedAt: this.joinedAt.get(account),
    };
  }
}
