import type { Caller } from '#core/caller';
import { messageOf } from '#core/errors';
import { Entry } from '#core/gating/entry';
import type { GateEvents, JoinAnswer } from '#core/gating/events';
import type { Gating } from '#core/gating/gating';
import type { GateKeeper } from '#core/gating/keeper';
import { communityOf } from '#core/gating/moderation';
import type { Community } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import type { Account } from '#core/links/account';
import type { Logger } from '#core/logger';
import type { Wallet } from '#core/wallet';

export interface WatchOptions {
  readonly gating: Gating;
  readonly store: GateStore;
  readonly keeperOf: (platform: Community['platform']) => GateKeeper | undefined;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  /** Changes when the source has newer data; undefined where it doesn't tell. */
  readonly revision: () => string | undefined;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Seconds between two passes over a community, and between two when the data has changed. */
const PASS_EVERY = 1_200;
const PASS_AT_MOST_EVERY = 120;
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
  readonly #passes = new Map<string, { at: number; revision: string | undefined }>();
  #gated: ReadonlyMap<string, Community> = new Map();
  #queued = 0;
  #queue: Promise<void> = Promise.resolve();

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#entry = new Entry(options);
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

  requested(
    community: Community,
    account: string,
    locale: string | undefined,
  ): Promise<JoinAnswer> {
    return this.#entry.requested(community, account, locale);
  }

  /** Goes on with what a restart has cut off. */
  async begin(): Promise<void> {
    const { gating, store } = this.#options;
    await this.#refresh();
    for (const run of await store.openRuns()) {
      // An undoing needs the platform, which may not be connected yet: the next tick begins with it.
      if (run.cause !== 'undo') await gating.aftermath.resume(run);
    }
  }

  /** Does what is due: one community after the other, so that the load is spread. */
  async tick(): Promise<void> {
    const { gating, log, now, revision, signal } = this.#options;
    await this.#refresh();
    await this.#entry.again();
    try {
      await gating.aftermath.resumeUndoings();
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'an undoing is gone on with later');
    }
    for (const [key, community] of this.#gated) {
      if (signal.aborted) return;
      const last = this.#passes.get(key);
      const age = now() - (last?.at ?? Number.NEGATIVE_INFINITY);
      const current = revision();
      const isDue = age >= PASS_EVERY || (age >= PASS_AT_MOST_EVERY && last?.revision !== current);
      if (!isDue) continue;
      this.#passes.set(key, { at: now(), revision: current });
      try {
        await gating.runner.pass(community, 'sweep');
      } catch (error) {
        log.warn(
          { community: key, error: messageOf(error) },
          'a pass of gating is tried again later',
        );
      }
    }
  }

  /** Resolves when all that waits has been looked at. */
  async idle(): Promise<void> {
    await this.#queue;
  }

  async #look(community: Community, account: string): Promise<void> {
    const { gating, store } = this.#options;
    await store.noteMembers(community, [account]);
    await gating.runner.member(community, account);
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

function keyOf({ platform, id }: Community): string {
  return `${platform}:${id}`;
}
