import { BoundedMap, type Logger, messageOf, PlatformFault, Recent, RetryableError } from '#base';
import type { Replica } from '#cluster';
import { accountKey } from '#command';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import type { Community } from '#gating/rules/rule';
import { handsClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';
import type { Barring } from './barring.ts';
import type { HandChange, HandEntry } from './hand-log.ts';

export interface HandChangesOptions {
  readonly store: Pick<GateStore, 'rulesOf' | 'settingsOf' | 'putSettings' | 'barsOf'>;
  readonly barring: Pick<Barring, 'given' | 'removed'>;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly log: Logger;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
  readonly signal: AbortSignal;
}

/** Pages read at once; the rest is read with the next attempt. */
const PAGES = 10;
/** Communities whose logs are read unasked at once. */
const AT_ONCE = 10;
/** Entries of a community that wait; of more, the log tells. */
const REPORTED = 1_000;
/** Entries, and last changes, that are remembered, so that none counts twice or out of order. */
const APPLIED = 5_000;
/** Milliseconds for which a log is current whose entries aren't reported as they come. */
const CURRENT_MS = 10_000;
/** Milliseconds before a log that couldn't be read is read again unasked. */
const FAILED_MS = 30_000;
const FAILED = 1_000;

/** A change with when it was made. */
type DatedChange = HandChange & Pick<HandEntry, 'id' | 'at'>;

/**
 * What moderators give and take by hand, as the platform's own log tells: from its reports, and from the log
 * itself wherever reports may have been missed. How far the log counts is stored only after what it said, so
 * that a process killed in between reads it again.
 */
export class HandChanges {
  readonly #options: HandChangesOptions;
  /** When a community's log was last read to its end; none since reports may have been missed. */
  readonly #readAt = new Map<string, number>();
  /** Communities whose log is being read, until reports may have been missed meanwhile. */
  readonly #reading = new Set<string>();
  /** When the last member joined, by the platform's clock, for whom a community's log was read to its end since. */
  readonly #readSince = new Map<string, number>();
  readonly #failed: Recent<true>;
  /** Reported entries by community, oldest first. */
  readonly #reported = new Map<string, HandEntry[]>();
  /** Entries that count already, by their ids. */
  readonly #applied = new BoundedMap<string, true>(APPLIED);
  /** How far a community's log counted before this process read any of it: that's over. */
  readonly #countedTo = new Map<string, string>();
  /** The last change that somebody made of what a member has, of those that count already. */
  readonly #last = new BoundedMap<string, DatedChange>(APPLIED);

  constructor(options: HandChangesOptions) {
    this.#options = options;
    this.#failed = new Recent(FAILED_MS, FAILED, options.monotonic);
  }

  /** The platform has reported an entry; `apply` is to follow. */
  reported(community: Community, entry: HandEntry): void {
    const key = handsClaim(community);
    const waiting = this.#reported.get(key) ?? [];
    this.#reported.set(key, waiting);
    if (waiting.length < REPORTED) waiting.push(entry);
    else this.missed([community]);
  }

  /** Reports may have been missed: rules give nothing there before the log is read. */
  missed(communities: readonly Community[]): void {
    for (const key of communities.map(handsClaim)) {
      this.#readAt.delete(key);
      this.#reading.delete(key);
    }
  }

  /** Finds out what moderators did where reports may have been missed, though nothing there needs it now. */
  async catchUp(communities: Iterable<Community>): Promise<void> {
    const behind = [...communities].filter((each) => this.#isBehind(each));
    for (const community of behind.slice(0, AT_ONCE)) {
      try {
        await this.upToDate(community);
      } catch (error) {
        this.#failedToRead(error);
      }
    }
  }

  /** Counts what was reported. @throws RetryableError */
  async apply(community: Community): Promise<void> {
    await this.#inTurn(community, async () => {
      const key = handsClaim(community);
      const isGated = (await this.#options.store.rulesOf(community)).length > 0;
      // What came before it counts first.
      if (isGated && this.#isDue(community)) await this.#read(community);
      const waiting = this.#reported.get(key) ?? [];
      let last: string | undefined;
      for (let entry = waiting[0]; entry !== undefined; entry = waiting[0]) {
        await this.#count(community, entry);
        last = entry.id;
        waiting.shift();
      }
      if (this.#reported.get(key) === waiting) this.#reported.delete(key);
      // What may have been missed meanwhile came before it, and is yet to be read.
      const isCurrent = isGated && !this.#isDue(community);
      if (isCurrent && last !== undefined) await this.#advance(community, last);
    });
  }

  /**
   * Call it before rules give something: what moderators took while nobody listened isn't given back.
   * @throws RetryableError while the log can't be read
   */
  async upToDate(community: Community): Promise<void> {
    if (!this.#isDue(community)) return;
    await this.#inTurn(community, async () => await this.#read(community));
    if (this.#isDue(community)) throw new PlatformFault("The platform's log is still being read.");
  }

  /**
   * Call it before rules give something to a member who may have left and come back since somebody took it from them,
   * of which nothing but the platform's log tells then.
   * @throws RetryableError as `upToDate`
   */
  async upToDateSince(community: Community, { joinedAt }: Member): Promise<void> {
    if (joinedAt === undefined || !this.#isUnreported(community)) return;
    const key = handsClaim(community);
    if (joinedAt <= (this.#readSince.get(key) ?? 0)) return;
    await this.#inTurn(community, async () => {
      this.missed([community]);
      await this.#read(community);
    });
    if (this.#isDue(community)) throw new PlatformFault("The platform's log is still being read.");
    this.#readSince.set(key, Math.max(joinedAt, this.#readSince.get(key) ?? 0));
  }

  /** Call it before moderators are shown who is barred, or would gain something. */
  async beforeShown(community: Community): Promise<void> {
    if (!this.#isDue(community) && !this.#isUnreported(community)) return;
    try {
      const rules = await this.#options.store.rulesOf(community);
      if (rules.length > 0) await this.#inTurn(community, async () => await this.#read(community));
    } catch (error) {
      this.#failedToRead(error);
    }
  }

  /** Reads on, before rules are applied to everybody. @throws RetryableError as `upToDate` */
  async refresh(community: Community): Promise<void> {
    if (this.#logOf(community) === undefined) return;
    try {
      await this.#inTurn(community, async () => await this.#read(community));
    } catch (error) {
      // It was read before, and what came since is reported.
      if (!(error instanceof RetryableError) || this.#isDue(community)) throw error;
    }
  }

  /** Call it before rules are added or removed: what was taken before isn't about those after. */
  async beforeRules(community: Community, areFirst: boolean): Promise<void> {
    const log = this.#logOf(community);
    if (log === undefined) return;
    const { store } = this.#options;
    try {
      await this.#inTurn(community, async () => {
        if (!areFirst) return await this.#read(community);
        const key = handsClaim(community);
        this.#reading.add(key);
        const page = await log.read(community.id, undefined);
        await store.putSettings(community, { auditCursor: page?.upTo });
        if (page?.upTo !== undefined) this.#countedTo.set(key, page.upTo);
        this.#endReading(key);
      });
    } catch (error) {
      this.#failedToRead(error);
    }
  }

  #failedToRead(error: unknown): void {
    if (!(error instanceof RetryableError)) throw error;
    this.#options.log.debug({ error: messageOf(error) }, "could not read a community's log");
  }

  #isBehind(community: Community): boolean {
    const key = handsClaim(community);
    if (this.#logOf(community) === undefined || this.#readAt.has(key)) return false;
    return this.#failed.get(key) === undefined;
  }

  #logOf({ platform }: Community) {
    return this.#options.adapterOf(platform)?.handLog;
  }

  #isDue(community: Community): boolean {
    const log = this.#logOf(community);
    if (log === undefined) return false;
    const readAt = this.#readAt.get(handsClaim(community));
    if (readAt === undefined) return true;
    return !log.isReported(community.id) && this.#options.monotonic() >= readAt + CURRENT_MS;
  }

  /** Whether nothing but the log itself tells of new entries. */
  #isUnreported(community: Community): boolean {
    return this.#logOf(community)?.isReported(community.id) === false;
  }

  /** In the order of the log, and once. */
  async #read(community: Community): Promise<void> {
    const { store } = this.#options;
    const key = handsClaim(community);
    this.#failed.set(key, true);
    this.#reading.add(key);
    let cursor = (await store.settingsOf(community)).auditCursor;
    if (cursor !== undefined && !this.#countedTo.has(key)) this.#countedTo.set(key, cursor);
    for (let pages = 0; pages < PAGES; pages++) {
      const page = await this.#logOf(community)?.read(community.id, cursor);
      for (const entry of page?.entries ?? []) await this.#count(community, entry);
      const before = cursor;
      // What happened while the bot mayn't see it is over: rules have gone on.
      cursor = page?.upTo;
      if (cursor !== before) await store.putSettings(community, { auditCursor: cursor });
      // One that is new here counts from now on.
      if (cursor !== before && cursor !== undefined && before !== undefined) continue;
      this.#endReading(key);
      break;
    }
    this.#failed.delete(key);
  }

  /** The log is current now, unless reports may have been missed since it was asked for. */
  #endReading(key: string): void {
    if (this.#reading.delete(key)) this.#readAt.set(key, this.#options.monotonic());
  }

  async #count(community: Community, { id, at, changes }: HandEntry): Promise<void> {
    const before = this.#countedTo.get(handsClaim(community));
    if (this.#applied.has(id) || (before !== undefined && !isNewer(id, before))) return;
    for (const change of changes) {
      const { account, grant } = change;
      const key = JSON.stringify([handsClaim(community), account, grant]);
      const last = this.#last.get(key);
      if (last !== undefined && isNewer(last.id, id)) {
        await this.#countLate(community, { ...change, id, at }, last);
      } else {
        await this.#make(community, { ...change, id, at });
        this.#last.set(key, { ...change, id, at });
      }
    }
    this.#applied.set(id, true);
  }

  /** Entries may be reported in another order than they were made in: the last one made decides. */
  async #countLate(community: Community, late: DatedChange, last: DatedChange): Promise<void> {
    if (late.step === last.step || late.step === 'given') return;
    const bars = await this.#options.store.barsOf(community, [late.account]);
    await this.#make(community, late);
    // A bar that was there before is about more than what was given back.
    if (!bars.some(({ grant }) => grant === late.grant)) await this.#make(community, last);
  }

  async #make(community: Community, change: DatedChange): Promise<void> {
    const { barring } = this.#options;
    const { step, account, grant, by, at } = change;
    const author = by && accountKey({ platform: community.platform, id: by });
    if (step === 'given') await barring.given(community, account, grant, author, at);
    else await barring.removed(community, account, grant, author, at);
  }

  async #advance(community: Community, id: string): Promise<void> {
    const { store } = this.#options;
    const { auditCursor } = await store.settingsOf(community);
    if (auditCursor !== undefined && !isNewer(id, auditCursor)) return;
    await store.putSettings(community, { auditCursor: id });
  }

  async #inTurn(community: Community, work: () => Promise<void>): Promise<void> {
    const { replica, signal } = this.#options;
    await replica.inTurn(handsClaim(community), signal, work);
  }
}

/** Ids are whole numbers, which may be too large for a number. */
function isNewer(one: string, other: string): boolean {
  return one.length === other.length ? one > other : one.length > other.length;
}
