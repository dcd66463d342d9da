import type { Caller } from '#core/caller';
import type { Card } from '#core/card';
import { messageOf } from '#core/errors';
import { Entry } from '#core/gating/entry';
import type { GateEvents } from '#core/gating/events';
import type { Gating } from '#core/gating/gating';
import type { GateKeeper } from '#core/gating/keeper';
import { communityOf } from '#core/gating/moderation';
import { type Community, isEntry } from '#core/gating/rule';
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
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
  readonly signal: AbortSignal;
}

/** Milliseconds in which somebody who asks again is not looked at again. */
const SEEN_FOR = 600_000;
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
  /** Communities in which the bot's place has changed, perhaps too late for the last pass. */
  readonly #sweptAgain = new Map<string, Community>();
  /** Told of, and not looked at yet. */
  readonly #changedGrants = new Set<string>();
  #gated: ReadonlyMap<string, Community> = new Map();
  #queued = 0;
  /** What was missed before the start has been learned, as far as it could be. */
  #caughtUp: Promise<void> = Promise.resolve();
  #queue: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#entry = new Entry(options);
    this.#sweeps = new Sweeps(options);
  }

  /** Somebody asks something in a community; if they have linked wallets, it may be a member. */
  seen(caller: Caller): void {
    const community = communityOf(caller);
    if (community === undefined) return;
    const key = `${keyOf(community)} ${caller.id}`;
    const now = this.#options.monotonic();
    if (now - (this.#seen.get(key) ?? Number.NEGATIVE_INFINITY) < SEEN_FOR) return;
    this.#seen.delete(key);
    this.#seen.set(key, now);
    if (this.#seen.size > REMEMBERED) {
      const oldest = this.#seen.keys().next().value;
      if (oldest !== undefined) this.#seen.delete(oldest);
    }
    this.#enqueue(async () => {
      if (!(await this.#hasLinked(community, caller.id))) return;
      // In a group of Telegram strangers may write too.
      const here = await this.#options
        .keeperOf(community.platform)
        ?.member(community.id, caller.id);
      if (here !== undefined) await this.#noteAndLook(community, caller.id);
    });
  }

  /**
   * An account has linked or unlinked a wallet: the communities look at it that know it as a member, or
   * that it has asked to join. Nobody else hears of it.
   */
  linksChanged(account: Account): void {
    this.#enqueue(async () => {
      for (const community of (await this.#refresh()).values()) {
        if (community.platform === account.platform) await this.#changedIn(community, account.id);
      }
    });
  }

  joined(community: Community, account: string): void {
    this.#enqueue(async () => {
      await this.#options.store.endJoinRequest(community, account);
      if (await this.#hasLinked(community, account)) await this.#noteAndLook(community, account);
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

  /** A pass finds out what stands in the way now, and lets in who waited for a right that is back. */
  standingChanged(community: Community): void {
    this.#enqueue(async () => {
      if (!(await this.#refresh()).has(keyOf(community))) return;
      // One that is under way may have looked before.
      const result = await this.#options.gating.sweep(community);
      if (result === undefined) this.#sweptAgain.set(keyOf(community), community);
    });
  }

  /** Only where a rule gives it: a pass finds out whether it still may. */
  grantChanged(community: Community, grant: string): void {
    const key = `${keyOf(community)} ${grant}`;
    if (this.#changedGrants.has(key) || this.#queued >= QUEUE_MAX) return;
    this.#changedGrants.add(key);
    this.#enqueue(async () => {
      this.#changedGrants.delete(key);
      const rules = await this.#options.store.rulesOf(community);
      if (rules.some((rule) => rule.grant === grant && rule.paused === undefined)) {
        await this.#options.gating.sweep(community);
      }
    });
  }

  async requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<Card | undefined> {
    // It may be a group whose rules are under the id that it had.
    await this.#caughtUp;
    return await this.#entry.requested(community, account, locale);
  }

  /** What rules ask for has changed: who waits to be let in is looked at by them. */
  rulesChanged(community: Community): void {
    this.#enqueue(async () => await this.#entry.review(community));
  }

  /** Goes on with what a restart has cut off. */
  async begin(): Promise<void> {
    this.#caughtUp = this.#catchUp();
    await this.#caughtUp;
    await this.#refresh();
    await this.#resume();
  }

  /** Does what is due: one community after the other, so that the load is spread. */
  async tick(): Promise<void> {
    this.#isUp = true;
    this.#failed.clear();
    const communities = await this.#refresh();
    for (const [key, community] of this.#sweptAgain) {
      this.#sweptAgain.delete(key);
      await this.#options.gating.sweep(community);
    }
    await this.#entry.again();
    await this.#entry.expire();
    await this.#resume();
    await this.#options.replica.plan(SWEEP, [...communities.keys()]);
    await this.#sweeps.run();
    await this.#options.gating.reports.tellAll();
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

  async #hasLinked({ platform }: Community, id: string): Promise<boolean> {
    return (await this.#options.walletsOf({ platform, id })).length > 0;
  }

  async #noteAndLook(community: Community, account: string): Promise<void> {
    const { gating, store } = this.#options;
    // Also where there is no rule yet: whoever makes the first one finds the members there.
    await store.noteMembers(community, [account]);
    if ((await this.#refresh()).has(keyOf(community))) await gating.look(community, account);
  }

  async #changedIn(community: Community, account: string): Promise<void> {
    const { store, keeperOf, gating } = this.#options;
    const known =
      (await store.member(community, account)) ?? (await store.applicant(community, account));
    if (known !== undefined) {
      await gating.look(community, account);
      return;
    }
    // A group is asked to let people in: who never did is none of its business.
    if ((await store.rulesOf(community)).every(isEntry)) return;
    const here = await keeperOf(community.platform)?.member(community.id, account);
    if (here !== undefined) await this.#noteAndLook(community, account);
  }

  /** Learns what platforms have told nobody while this was away. */
  async #catchUp(): Promise<void> {
    const { store, keeperOf, log } = this.#options;
    try {
      const all = await store.communities();
      for (const [platform, communities] of Map.groupBy(all, (each) => each.platform)) {
        await keeperOf(platform)?.catchUp?.(communities.map(({ id }) => id));
      }
      // Moves that were found are on the queue.
      await this.#queue;
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'what was missed is learned with the next pass');
    }
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
