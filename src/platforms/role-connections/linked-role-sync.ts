import { type Elapsed, isOutage, type Logger, messageOf, RetryableError } from '#base';
import type { Replica } from '#cluster';
import type { Account } from '#command';
import {
  checkPlausible,
  type MemberStandings,
  type Plausibility,
  readStandings,
  type SourceMemory,
  type UnknownReason,
} from '#gating';
import type { Link, LinkStore } from '#linking';
import type { ReputationSource } from '#reputation';
import type { WalletParser } from '#wallet';
import { nextMetadataState } from './metadata-state.ts';
import type { RoleConnectionSync, RoleSyncResult } from './setup.ts';
import { ROLE_CONNECTIONS_ON, type RoleConnection, type RoleConnectionStore } from './store.ts';

interface LinkedRoleSyncOptions {
  readonly store: RoleConnectionStore;
  readonly links: Pick<LinkStore, 'linksOf' | 'choiceOf'>;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly sync: RoleConnectionSync;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  readonly signal: AbortSignal;
}

/** Seconds between two checks of a member, and after an unfinished one. */
const CHECK_EVERY = 600;
const CHECK_AGAIN = 60;
/** Maximum delay of a check. */
const LONGEST_WAIT = 3_600;
/** Members per round; the next one continues. */
const AT_ONCE = 200;
/** Concurrent updates at Discord. */
const SIDE_BY_SIDE = 2;
/** Consecutive faults after which the rest of a round is postponed. */
const FAULTS = 5;
/** Milliseconds for which a verdict on the source is reused. */
const TRUSTED_MS = 30_000;
/**
 * Milliseconds after which wallets missing from the source count as gone for good: unlike in
 * gating, there's no moderator to confirm it.
 */
const LOST_FOR = 86_400_000;
/** Queued members; later rounds find the others. */
const WAITING_MAX = 2_000;

/** Keeps members' data at Discord up to date: on changes, and periodically. */
export class LinkedRoleSync {
  readonly #options: LinkedRoleSyncOptions;
  readonly #queue = new KeyedQueue(SIDE_BY_SIDE);
  /** Accounts whose check hasn't started: it will see changes until then. */
  readonly #waitingChecks = new Set<string>();
  #memory: SourceMemory | undefined;
  /** Since when at least half of the source's wallets are gone, in monotonic time. */
  #lostSince: number | undefined;
  #trust: { readonly at: number; readonly doubt: UnknownReason | undefined } | undefined;
  /** In a row. */
  #faults = 0;
  #saidLocked = false;

  constructor(options: LinkedRoleSyncOptions) {
    this.#options = options;
  }

  /** An account's wallets, or who may see them, changed. */
  changed(account: Account): void {
    if (account.platform !== ROLE_CONNECTIONS_ON) return;
    const { id } = account;
    if (this.#waitingChecks.has(id) || this.#queue.waiting >= WAITING_MAX) return;
    this.#waitingChecks.add(id);
    const check = this.#queue.add(
      id,
      async () => {
        this.#waitingChecks.delete(id);
        await this.#check(id);
      },
      true,
    );
    // The failure is in the log, and a round retries.
    check.catch(() => undefined);
  }

  /**
   * Pushes the data of a member who has just connected.
   * @throws RetryableError if it isn't possible now; a round retries
   */
  connected(account: string): Promise<RoleSyncResult> {
    return this.#queue.add(account, () => this.#check(account), true);
  }

  /** Checks the members not checked for the longest time. */
  async round(): Promise<void> {
    const { store, log, now, signal } = this.#options;
    this.#faults = 0;
    const partings = await store.partings(now() - CHECK_AGAIN, AT_ONCE);
    const due = await store.due(now() - CHECK_EVERY, now() + LONGEST_WAIT, AT_ONCE);
    const checks = [...partings, ...due].map(({ account }) =>
      this.#queue.add(account, async () => {
        if (!signal.aborted && this.#faults < FAULTS) await this.#check(account);
      }),
    );
    const results = await Promise.allSettled(checks);
    const members = results.filter(({ status }) => status === 'rejected').length;
    if (members === 0 || signal.aborted) return;
    log.warn({ members }, 'could not update some members at Discord; retrying');
  }

  /** Resolves when nothing is in flight. */
  async idle(): Promise<void> {
    await this.#queue.idle();
  }

  #check(account: string): Promise<RoleSyncResult> {
    return this.#alone(account, () => this.#checkNow(account));
  }

  /**
   * If two processes renewed a member's tokens at once, one would conclude that the member left.
   */
  #alone<T>(account: string, work: () => Promise<T>): Promise<T> {
    const { replica, signal } = this.#options;
    return replica.inTurn(`linked-role:${account}`, signal, work);
  }

  async #checkNow(account: string): Promise<RoleSyncResult> {
    const { store, log, now, signal } = this.#options;
    const before = await store.find(account);
    if (before === undefined) {
      await this.#part(account);
      return 'gone';
    }
    try {
      const result = await this.#send(before);
      this.#faults = 0;
      return result;
    } catch (error) {
      // Aborted by a shutdown: the next process continues.
      if (signal.aborted) throw error;
      this.#faults += 1;
      if (isOutage(error)) {
        log.debug({ reason: messageOf(error) }, 'could not update a member at Discord');
      } else log.error({ err: error }, 'bug: could not update a member at Discord');
      const { shown, isAccepted, fall } = before;
      const wait = error instanceof RetryableError ? error.retryAfter : CHECK_EVERY;
      await store.note(account, { shown, isAccepted, fall, checkedAt: again(now(), wait) });
      throw error;
    }
  }

  /** Has Discord delete what it has of an account, if that was erased. */
  async #part(account: string): Promise<void> {
    const { store, sync, log, now, signal } = this.#options;
    const parting = await store.parting(account);
    if (parting === undefined) return;
    await store.keepParting(parting, now());
    try {
      await sync.part(parting);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#faults += 1;
      const fields = isOutage(error) ? { error: messageOf(error) } : { err: error };
      log.warn(fields, 'could not tell Discord that a member left; retrying for three days');
      throw error;
    }
    await store.parted(parting);
  }

  async #send(before: RoleConnection): Promise<RoleSyncResult> {
    const { store, links: linkStore, sync, now, elapsed } = this.#options;
    const account: Account = { platform: ROLE_CONNECTIONS_ON, id: before.account };
    const links = await linkStore.linksOf(account);
    const choice = await linkStore.choiceOf(account);
    const read = await this.#read(links);
    const isPublic = choice?.privacy === 'public';
    const showing = nextMetadataState(before, { links, isPublic, read, now: now(), elapsed });
    const isUnknown = showing.shown === undefined && links.length > 0;
    if (isUnknown) {
      await store.note(before.account, { ...showing, checkedAt: again(now(), CHECK_AGAIN) });
      return 'later';
    }
    const told = showing.isAccepted ? 'told' : await sync.push(before, showing.shown);
    if (told === 'gone') return 'gone';
    if (told === 'locked') return await this.#locked(before);
    await store.note(before.account, { ...showing, isAccepted: true });
    return showing.shown === undefined ? 'no-wallet' : 'told';
  }

  /** Keep it: the secret may be wrong only for a while. */
  async #locked({ account, shown, isAccepted, fall }: RoleConnection): Promise<RoleSyncResult> {
    const { store, log, now } = this.#options;
    await store.note(account, { shown, isAccepted, fall, checkedAt: now() });
    if (!this.#saidLocked) {
      log.warn(
        {},
        'some members connected under another DISCORD_CLIENT_SECRET; if you reset it, they must connect again',
      );
    }
    this.#saidLocked = true;
    return 'later';
  }

  async #read(links: readonly Link[]): Promise<MemberStandings> {
    if (links.length === 0) return { standings: [], asOf: undefined };
    const { source } = this.#options;
    const doubt = await this.#doubt();
    if (doubt !== undefined) return { unknown: doubt };
    const wallets = links.map(({ wallet }) => wallet);
    return await readStandings(source, wallets);
  }

  /** Why the source isn't trusted now. */
  async #doubt(): Promise<UnknownReason | undefined> {
    const { source, wallets, monotonic } = this.#options;
    if (this.#trust !== undefined && monotonic() - this.#trust.at < TRUSTED_MS) {
      return this.#trust.doubt;
    }
    const check = (memory: SourceMemory | undefined) =>
      checkPlausible(source.reading('background'), wallets, memory);
    let seen = await check(this.#memory);
    if (this.#isLostForGood(seen)) seen = await check(undefined);
    const doubt = 'doubt' in seen ? seen.doubt : undefined;
    if (!('doubt' in seen)) this.#memory = seen;
    this.#trust = { at: monotonic(), doubt };
    return doubt;
  }

  /** Whether the source has consistently shown far fewer wallets for a day. */
  #isLostForGood(seen: Plausibility): boolean {
    const { monotonic, log } = this.#options;
    if (!('doubt' in seen)) this.#lostSince = undefined;
    if (!('shows' in seen) || seen.shows.kind !== 'lost') return false;
    if (this.#lostSince === undefined) {
      this.#lostSince = monotonic();
      const { before, now } = seen.shows;
      log.warn(
        { before, now },
        "half of the wallets are gone: keeping Linked Roles as they are; in 24 hours we accept what's left",
      );
    }
    return monotonic() - this.#lostSince >= LOST_FOR;
  }
}

/** Backdates the check so it's due again after the delay. */
function again(now: number, wait: number): number {
  return now - CHECK_EVERY + Math.min(Math.max(wait, CHECK_AGAIN), LONGEST_WAIT);
}

interface WaitingJob {
  readonly key: string;
  /** Must not throw. */
  readonly run: () => Promise<void>;
}

/** Runs jobs concurrently, a few at once; those with the same key one after another. */
export class KeyedQueue {
  readonly #width: number;
  readonly #waiting: WaitingJob[] = [];
  readonly #running = new Set<string>();
  #onIdle: (() => void)[] = [];

  /** @param width concurrent jobs */
  constructor(width: number) {
    this.#width = width;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @param isUrgent whether a member is waiting: then it goes first */
  add<T>(key: string, job: () => Promise<T>, isUrgent = false): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const run = () => job().then(resolve, reject);
    if (isUrgent) this.#waiting.unshift({ key, run });
    else this.#waiting.push({ key, run });
    this.#next();
    return promise;
  }

  /** Resolves when the queue is empty. */
  async idle(): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  #next(): void {
    while (this.#running.size < this.#width) {
      const at = this.#waiting.findIndex(({ key }) => !this.#running.has(key));
      const [job] = at === -1 ? [] : this.#waiting.splice(at, 1);
      if (job === undefined) break;
      this.#running.add(job.key);
      void job.run().finally(() => {
        this.#running.delete(job.key);
        this.#next();
      });
    }
    if (this.#running.size > 0) return;
    const waiting = this.#onIdle;
    this.#onIdle = [];
    for (const resolve of waiting) resolve();
  }
}
