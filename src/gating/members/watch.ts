import { type Logger, messageOf } from '#base';
import type { Replica } from '#cluster';
import { type Account, accountKey, type Caller, type Card, WEB } from '#command';
import { communityOf } from '#gating/caller';
import type { CommunityAdapter } from '#gating/community-adapter';
import type { GateEvents } from '#gating/events';
import type { Gating } from '#gating/gating';
import type { RunResult } from '#gating/result';
import { type Community, communityKey, grantNameOf, isEntry } from '#gating/rules/rule';
import { LeftRuns, SWEEP, Sweeps } from '#gating/runs/due-runs';
import type { GateStore } from '#gating/store';
import type { Wallet } from '#wallet';
import type { HandEntry } from './bars/hand-log.ts';
import { Entry } from './entry/entry.ts';
import { MemberQueue, RecentMembers, subjectOf } from './member-queue.ts';

export interface WatchOptions {
  readonly gating: Gating;
  readonly store: GateStore;
  readonly replica: Pick<Replica, 'plan' | 'takeDue' | 'finish' | 'isRetiring'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  /** Changes when the source has newer data; undefined if it doesn't tell. */
  readonly revision: () => string | undefined;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** See `EntryOptions`. */
  readonly settled: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  readonly signal: AbortSignal;
}

/** Seconds after which a check that isn't over counts as interrupted. */
const CHECK_ENDS_IN = 60;
/** Interrupted checks that are repeated at once. */
const LEFT_CHECKS = 500;

/** Applies the rules: when members use commands, link, join or leave, and from time to time. */
export class GateWatch implements GateEvents {
  readonly #options: WatchOptions;
  readonly #entry: Entry;
  readonly #recent: RecentMembers;
  readonly #sweeps: Sweeps;
  readonly #leftRuns: LeftRuns;
  /** Whether the platforms have had time to connect. */
  #isUp = false;
  /** Communities where the bot's membership has changed, perhaps too late for the last pass. */
  readonly #sweptAgain = new Map<string, Community>();
  /** Queued for a check. */
  readonly #changedGrants = new Set<string>();
  /** Queued for a check of what they asked to join. */
  readonly #alone = new Set<string>();
  #gated: ReadonlyMap<string, Community> = new Map();
  /** Whether everything missed before the start has been caught up with, as far as possible. */
  #caughtUp: Promise<void> = Promise.resolve();
  readonly #queue: MemberQueue;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#queue = new MemberQueue(options);
    this.#entry = new Entry({
      ...options,
      onUnanswered: (community, account) => this.#checkLater(community, account),
    });
    this.#sweeps = new Sweeps(options);
    this.#leftRuns = new LeftRuns(options);
    this.#recent = new RecentMembers(options.monotonic);
  }

  /** Someone uses a command in a community; if they've linked wallets, they may be a member. */
  seen(caller: Caller): void {
    const community = communityOf(caller);
    if (community === undefined) {
      this.#seenAlone(caller);
      return;
    }
    const key = subjectOf(community, caller.id);
    if (!this.#recent.isSeenAgain(key, caller.joinedAt)) return;
    this.#queue.add(key, 'seen', async () => {
      // They may link one any moment, with any process.
      if (!(await this.#hasLinked(community, caller.id))) return this.#recent.mayChange(key);
      // Strangers can post in a Telegram group too.
      const here = await this.#options
        .adapterOf(community.platform)
        ?.member(community.id, caller.id);
      if (here !== undefined) await this.#noteAndCheck(community, caller.id);
      // Once they've passed the screening, they mustn't have to wait.
      if (here?.isPending === true) this.#recent.mayChange(key);
    });
  }

  /** Someone writes in private: what they had to mend for a request to join may be mended. */
  #seenAlone({ platform, id }: Caller): void {
    const key = accountKey({ platform, id });
    if (platform === WEB || this.#alone.has(key) || this.#queue.isFull) return;
    this.#alone.add(key);
    this.#queue.add(key, 'seen', async () => {
      this.#alone.delete(key);
      const { store } = this.#options;
      for (const community of await store.communitiesAsked(platform, id)) {
        if (await store.endRefusals(community, id)) await this.#checkNow(community, id);
      }
    });
  }

  /**
   * An account has linked or unlinked a wallet: communities that know it as a member or an
   * applicant check it. Nobody else learns of it.
   */
  linksChanged(account: Account): void {
    this.#queue.add(accountKey(account), 'links', async () => {
      for (const community of (await this.#refresh()).values()) {
        if (community.platform !== account.platform) continue;
        // They may be pending still: then their next command is to find out.
        this.#recent.mayChange(subjectOf(community, account.id));
        const changed = async () => await this.#changedIn(community, account.id);
        await this.#queue.attempt(subjectOf(community, account.id), 'links', changed);
      }
    });
  }

  joined(community: Community, account: string): void {
    this.#queue.add(subjectOf(community, account), 'joined', async () => {
      await this.#options.gating.admissions.entered(community, account, false);
      if (await this.#hasLinked(community, account)) await this.#noteAndCheck(community, account);
    });
  }

  left(community: Community, account: string): void {
    const forget = async () => await this.#options.store.forgetMember(community, account);
    this.#queue.add(subjectOf(community, account), 'left', forget);
  }

  async removed(community: Community, account: string, grant: string, by?: string): Promise<void> {
    const author = by && accountKey({ platform: community.platform, id: by });
    const bar = () => this.#options.gating.barring.removed(community, account, grant, author);
    await this.#queue.record(subjectOf(community, account), 'removed', bar);
  }

  async given(community: Community, account: string, grant: string, by?: string): Promise<void> {
    const author = by && accountKey({ platform: community.platform, id: by });
    const lift = () => this.#options.gating.barring.given(community, account, grant, author);
    await this.#queue.record(subjectOf(community, account), 'given', lift);
  }

  handChanged(community: Community, entry: HandEntry): void {
    const { hands } = this.#options.gating;
    hands.reported(community, entry);
    this.#queue.add(communityKey(community), 'hands', async () => await hands.apply(community));
  }

  missed(communities: readonly Community[]): void {
    this.#options.gating.hands.missed(communities);
  }

  changed(
    community: Community,
    account: string,
    grants: readonly string[],
    isPending: boolean,
  ): void {
    const key = subjectOf(community, account);
    if (!isPending && this.#queue.isFull) return;
    // They may just have passed the screening, or while nobody listened.
    const isNews = this.#recent.isNewlyScreened(key, isPending);
    if (isPending) return;
    this.#queue.add(key, 'changed', async () => {
      if (isNews && (await this.#mayLack(community, account))) {
        await this.#noteAndCheck(community, account);
      } else if (await this.#hasLost(community, account, grants)) {
        await this.#checkNow(community, account);
      }
    });
  }

  moved(from: Community, to: Community): void {
    this.#queue.add(communityKey(from), 'moved', async () => {
      await this.#options.store.moveCommunity(from, to);
      await this.#refresh();
    });
  }

  /**
   * A pass finds what prevents rules now, and admits those who waited for a restored permission.
   */
  standingChanged(community: Community): void {
    this.#queue.add(communityKey(community), 'community', async () => {
      if (!(await this.#refresh()).has(communityKey(community))) return;
      // An active one may have looked too early.
      const result = await this.#options.gating.sweep(community);
      if (result === undefined) this.#sweptAgain.set(communityKey(community), community);
    });
  }

  /** Only if a rule grants it: a pass finds out whether it still can. */
  grantChanged(community: Community, grant: string): void {
    const key = `${communityKey(community)} role ${grant}`;
    if (this.#changedGrants.has(key) || this.#queue.isFull) return;
    this.#changedGrants.add(key);
    this.#queue.add(key, 'community', async () => {
      this.#changedGrants.delete(key);
      const rules = await this.#options.store.rulesOf(community);
      if (rules.some((rule) => rule.grant === grant && rule.paused === undefined)) {
        await this.#options.gating.sweep(community);
      }
    });
  }

  renamed(community: Community, grant: string, name: string): void {
    const shown = grantNameOf(community, grant, name);
    const rename = async () => await this.#options.store.renameGrant(community, grant, shown);
    this.#queue.add(`${communityKey(community)} role ${grant}`, 'renamed', rename);
  }

  async requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<Card | undefined> {
    // It may be a group whose rules are stored under its former id.
    await this.#caughtUp;
    return await this.#entry.requested(community, account, locale);
  }

  /** Requirements have changed: check those who wait for admission. */
  rulesChanged(community: Community): void {
    const review = async () => await this.#entry.review(community);
    this.#queue.add(`${communityKey(community)} applicants`, 'community', review);
  }

  /** A run has ended without an answer about some whom it would have given something. */
  unanswered({ run, changes }: RunResult): void {
    if (run.cause !== 'sweep' && run.cause !== 'moderator') return;
    const left = changes.filter(({ step, reason }) => step === 'give' && reason === 'no-answer');
    for (const account of new Set(left.map((change) => change.account))) {
      this.#checkLater(run.community, account);
    }
  }

  /** Tells somebody something, once more for some minutes while the platform takes no message. */
  async tell(community: Community, account: string, send: () => Promise<void>): Promise<void> {
    await this.#queue.attempt(`${subjectOf(community, account)} told`, 'told', send);
  }

  /** Resumes what a restart has interrupted. */
  async begin(): Promise<void> {
    this.#caughtUp = this.#catchUp();
    await this.#caughtUp;
    await this.#refresh();
    await this.#leftRuns.resume();
    await this.#repeatChecks(this.#options.now());
    const untold = this.#options.gating.admissions.untold(this.#gated.values());
    for await (const { community, account } of untold) this.joined(community, account);
  }

  /** Does all due work, one community after the other to spread the load. */
  async tick(): Promise<void> {
    this.#isUp = true;
    const communities = await this.#refresh();
    for (const [key, community] of this.#sweptAgain) {
      this.#sweptAgain.delete(key);
      await this.#options.gating.sweep(community);
    }
    await this.#entry.again();
    await this.#entry.expire();
    await this.#leftRuns.resumeAll();
    this.#queue.retry();
    await this.#repeatChecks(this.#options.now() - CHECK_ENDS_IN);
    await this.#options.replica.plan(SWEEP, [...communities.keys()]);
    await this.#sweeps.run();
    await this.#options.gating.reports.notifyAll();
  }

  /** Resumes what another replica has left, and does what's due. */
  async poll(): Promise<void> {
    await this.#leftRuns.resume();
    this.#queue.retry();
    await this.#options.gating.hands.catchUp(this.#gated.values());
    if (this.#isUp) await this.#sweeps.run();
  }

  /** Resolves when the queue is empty, except for what waits to be tried again. */
  async idle(): Promise<void> {
    await this.#queue.idle();
  }

  /** Repeats checks that a killed process, or the platform, has left unfinished. */
  async #repeatChecks(begunBefore: number): Promise<void> {
    const { store, adapterOf } = this.#options;
    for (const { community, account } of await store.leftChecks(begunBefore, LEFT_CHECKS)) {
      const subject = subjectOf(community, account);
      if (adapterOf(community.platform) === undefined || this.#queue.isWaiting(subject)) continue;
      this.#queue.add(subject, 'check', this.#check(community, account));
    }
  }

  /** As part of a task. */
  async #checkNow(community: Community, account: string): Promise<void> {
    const check = this.#check(community, account);
    await this.#queue.attempt(subjectOf(community, account), 'check', check);
  }

  #checkLater(community: Community, account: string): void {
    this.#queue.later(subjectOf(community, account), 'check', this.#check(community, account));
  }

  /** A check of one member as a task. */
  #check(community: Community, account: string): (isLast: boolean) => Promise<void> {
    const { gating } = this.#options;
    return async (isLast) => {
      try {
        await gating.check(community, account);
      } catch (error) {
        if (isLast) await gating.abandonCheck(community, account);
        throw error;
      }
    };
  }

  /** Whether rules may give them something: they've linked wallets, and have got nothing from rules yet. */
  async #mayLack(community: Community, account: string): Promise<boolean> {
    const kept = await this.#options.store.grantsOf(community, [account]);
    // Nothing is given before the screening, so members who got something have passed it.
    return (
      kept.every(({ ownership }) => ownership !== 'ours') &&
      (await this.#hasLinked(community, account))
    );
  }

  /** Whether a member no longer has what a rule gave: somebody has just taken it. */
  async #hasLost(
    community: Community,
    account: string,
    grants: readonly string[],
  ): Promise<boolean> {
    const { store } = this.#options;
    const kept = await store.grantsOf(community, [account]);
    const held = new Set(kept.flatMap((it) => (it.ownership === 'none' ? [] : [it.rule])));
    if (held.size === 0) return false;
    const rules = await store.rulesOf(community);
    return rules.some(({ id, grant }) => held.has(id) && !grants.includes(grant));
  }

  async #hasLinked({ platform }: Community, id: string): Promise<boolean> {
    return (await this.#options.walletsOf({ platform, id })).length > 0;
  }

  async #noteAndCheck(community: Community, account: string): Promise<void> {
    const { store } = this.#options;
    // Even without a rule: the author of the first one will find its members there.
    await store.noteMembers(community, [account]);
    const isGated = (await this.#refresh()).has(communityKey(community));
    if (isGated) await this.#checkNow(community, account);
  }

  async #changedIn(community: Community, account: string): Promise<void> {
    const { store, adapterOf } = this.#options;
    const known =
      (await store.member(community, account)) ?? (await store.applicant(community, account));
    if (known !== undefined) {
      await this.#checkNow(community, account);
      return;
    }
    // Groups admit by request: those who never asked are none of their business.
    if ((await store.rulesOf(community)).every(isEntry)) return;
    const here = await adapterOf(community.platform)?.member(community.id, account);
    if (here !== undefined) await this.#noteAndCheck(community, account);
  }

  /** Learns what platforms reported to nobody while this process was away. */
  async #catchUp(): Promise<void> {
    const { store, adapterOf, log } = this.#options;
    try {
      // One that only announces, has a panel or keeps bars moves as well.
      const known = [
        ...(await store.communities()),
        ...(await store.announcing()),
        ...(await store.withPanels()),
        ...(await store.withBars()),
      ];
      const all = new Map(known.map((each) => [communityKey(each), each])).values();
      for (const [platform, communities] of Map.groupBy(all, (each) => each.platform)) {
        await adapterOf(platform)?.catchUp?.(communities.map(({ id }) => id));
      }
      // Moves found this way are in the queue.
      await this.#queue.idle();
    } catch (error) {
      const fields = { error: messageOf(error) };
      log.warn(fields, 'could not catch up on missed events; the next pass will');
    }
  }

  async #refresh(): Promise<ReadonlyMap<string, Community>> {
    const communities = await this.#options.store.communities();
    this.#gated = new Map(communities.map((each) => [communityKey(each), each]));
    return this.#gated;
  }
}
