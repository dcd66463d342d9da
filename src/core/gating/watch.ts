import type { Caller } from '#core/caller';
import { messageOf } from '#core/errors';
import { Entry } from '#core/gating/entry';
import type { GateEvents, JoinAnswer } from '#core/gating/events';
import type { Gating } from '#core/gating/gating';
import type { GateKeeper } from '#core/gating/keeper';
import { communityOf } from '#core/gating/moderation';
import type { Community } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import { keyOf, SWEEP, Sweeps } from '#core/gating/sweeps';
import type { Account } from '#core/links/account';
import type { Logger } from '#core/logger';
import type { Wallet } from '#core/wallet';
import type { Replica } from '#core/work/replica';

export interface WatchOptions {
  readonly gating: Gating;
  readonly store: GateStore;
  readonly replica: Pick<Replica, 'plan' | 'takeDue' | 'finish'>;
  readonly keeperOf: (platform: Community['platform']) => GateKeeper | undefined;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  /** Changes when the source has newer data; undefined where it doesn't tell. */
  readonly revision: () => string | undefined;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Seconds in which somebody who asks again is not looked at again. */
const SEEN_FOR = 600;
const REMEMBERED = 10_000;
/** Things waiting to be looked at; what exceeds that is found by the next pass. */
const QUEUE_MAX = 2_000;

/** Sees that rules are followed: when members ask, link, join or leave, and from time to time. */
export class GateWatch implements GateEvents {
  readonly #options: WatchOptions;
  readonly #entry: Entry;
  readonly #seen = new Map<string, number>();
  readonly #sweeps: Sweeps;
  /** Runs that could not be gone on with; they wait for the next tick. */
  readonly #failed = new Set<string>();
  /** Whether the platforms have had time to connect. */
  #isUp = false;
  #gated: ReadonlyMap<string, Community> = new Map();
  #queued = 0;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#entry = new Entry(options);
    this.#sweeps = new Sweeps(options);
  }

  /** Somebody asks something in a community; if they have linked wallets, they count as a member. */
  seen(caller: Caller): void {
    const community = communityOf(caller);
    if (community === undefined) return;
    const key = `${keyOf(community)} ${caller.id}`;
    const now = this.#options.now();
    if (now - (this.#seen.get(key) ?? Number.NEGATIVE_INFINITY) < SEEN_FOR) return;
    this.#seen.delete(key);
    this.#seen.set(key, now);
    if (this.#seen.size > REMEMBERED) {
      const oldest = this.#seen.keys().next().value;
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    this.joined(community, caller.id);
  }

  /** An account has linked or unlinked a wallet: every community that it is in looks at it. */
  linksChanged(account: Account): void {
    this.#enqueue(async () => {
      for (const community of (await this.#refresh()).values()) {
        if (community.platform === account.platform) await this.#changedIn(community, account.id);
      }
    });
  }

  joined(community: Community, account: string): void {
    this.#enqueue(async () => {
      const wallets = await this.#options.walletsOf({ platform: community.platform, id: account });
      if (wallets.length === 0) return;
      // Also where there is no rule yet: whoever makes the first one finds the members there.
      await this.#options.store.noteMembers(community, [account]);
      if ((await this.#refresh()).has(keyOf(community))) await this.#look(community, account);
    });
  }

  left(community: Community, account: string): void {
    this.#enqueue(async () => await this.#options.store.forgetMember(community, account));
  }

  moved(from: Community, to: Community): void {
    this.#enqueue(async () => {
      await this.#options.store.moveCommunity(from, to);
      await this.#refresh();
    });
  }

  /** Who could not be let in for want of a right may be let in now. */
  standingChanged(): void {
    this.#enqueue(async () => await this.#entry.again());
  }

  requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<JoinAnswer> {
    return this.#entry.requested(community, account, locale);
  }

  /** Goes on with what a restart has cut off. */
  async begin(): Promise<void> {
    await this.#refresh();
    await this.#resume();
  }

  /** Does what is due: one community after the other, so that the load is spread. */
  async tick(): Promise<void> {
    this.#isUp = true;
    this.#failed.clear();
    const communities = await this.#refresh();
    await this.#entry.again();
    await this.#resume();
    await this.#options.replica.plan(SWEEP, [...communities.keys()]);
    await this.#sweeps.run();
  }

  /** Goes on with what another replica has left, and does what is due. */
  async poll(): Promise<void> {
    await this.#resume();
    if (this.#isUp) await this.#sweeps.run();
  }

  /** Resolves when all that waits has been looked at. */
  async idle(): Promise<void> {
    await this.#queue;
  }

  /** What somebody is at is theirs. */
  async #resume(): Promise<void> {
    const { gating, store, log, signal } = this.#options;
    for (const run of await store.openRuns()) {
      if (signal.aborted) return;
      if (this.#failed.has(run.id)) continue;
      try {
        await gating.resume(run);
      } catch (error) {
        this.#failed.add(run.id);
        log.warn({ run: run.id, error: messageOf(error) }, 'a run of gating is gone on with later');
      }
    }
  }

  async #look(community: Community, account: string): Promise<void> {
    const { gating, store } = this.#options;
    await store.noteMembers(community, [account]);
    await gating.look(community, account);
  }

  async #changedIn(community: Community, account: string): Promise<void> {
    const { store, keeperOf } = this.#options;
    if (await this.#entry.admitIfMet(community, account)) return;
    const known = await store.member(community, account);
    const here = known ?? (await keeperOf(community.platform)?.member(community.id, account));
    if (here !== undefined) await this.#look(community, account);
  }

  async #refresh(): Promise<ReadonlyMap<string, Community>> {
    const communities = await this.#options.store.communities();
    this.#gated = new Map(communities.map((each) => [keyOf(each), each]));
    return this.#gated;
  }

  /** One after the other: two looks at one member at once could do the same twice. */
  #enqueue(work: () => Promise<void>): void {
    const { log, signal } = this.#options;
    if (signal.aborted || this.#queued >= QUEUE_MAX) return;
    this.#queued += 1;
    this.#queue = this.#queue.then(async () => {
      try {
        if (!signal.aborted) await work();
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'a member is looked at again with the next pass');
      } finally {
        this.#queued -= 1;
      }
    });
  }
}
