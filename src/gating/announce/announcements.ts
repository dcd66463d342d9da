import { type Elapsed, type Logger, ProblemLogs, RetryableError } from '#base';
import { type DueWork, processDueWork, type Replica } from '#cluster';
import { isWithin } from '#gating/post-once';
import { type Community, communityKey, communityOfKey } from '#gating/rules/rule';
import type { Planner } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import type { ReputationSource, TierThresholds } from '#reputation';
import type { Announcer } from './announcer.ts';
import type { Digester } from './digester.ts';
import {
  type AnnounceSettings,
  isSameMark,
  type LastObservation,
  type Mark,
  marked,
} from './mark.ts';
import { lookAt, rulesVersionOf } from './members.ts';

export interface AnnouncementsOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly thresholds: TierThresholds;
  readonly planner: Pick<Planner, 'basis'>;
  readonly announcer: Announcer;
  readonly digester: Digester;
  readonly replica: Pick<Replica, 'plan' | 'takeDue' | 'finish'>;
  /** Tells moderators why announcements can't be posted. @throws RetryableError */
  readonly onRefused: (community: Community) => Promise<void>;
  /** Changes when the source has newer data; undefined if it doesn't tell. */
  readonly revision: () => string | undefined;
  readonly newId: () => string;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly elapsed: Elapsed;
  readonly yieldToEventLoop: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** The kind of work. */
const ANNOUNCE = 'announce';
/** Seconds between two rounds of a community. */
const EVERY = 60;
/** Seconds between two looks at members if there's no newer data, or the source doesn't tell whether there is. */
const LOOK_EVERY = 480;
/** Seconds without a sure look after which what is new may be old. */
const SURE_FOR = 900;
/** Seconds for which an upstream may still answer by former rules. */
const SETTLES_IN = 1_800;
const PAGE = 1_000;
const AT_ONCE = 200;

/** Notices who rises in communities that announce it, and has it posted. */
export class Announcements {
  readonly #options: AnnouncementsOptions;
  readonly #troubles: ProblemLogs;

  constructor(options: AnnouncementsOptions) {
    this.#options = options;
    this.#troubles = new ProblemLogs(options.log);
  }

  /** Does what's due, one community after the other, each by one of the replicas. */
  async round(): Promise<void> {
    const { store, replica, signal } = this.#options;
    const all = await store.announcing();
    await replica.plan(ANNOUNCE, all.map(communityKey));
    await processDueWork(replica, ANNOUNCE, signal, (due) => this.#one(due));
  }

  async #one(due: DueWork): Promise<void> {
    const { store, replica, announcer, digester, revision, onRefused, signal } = this.#options;
    const community = communityOfKey(due.name);
    try {
      const { announce, look } = await store.settingsOf(community);
      if (announce !== undefined) {
        let next = await this.#look(community, announce, look);
        // Data came while it looked: whom it brings belongs into the same message.
        if (next?.revision !== revision()) next = await this.#look(community, announce, next);
        if (next !== look) await store.putSettings(community, { look: next });
        if (next?.isDoubted !== true) await announcer.announce(community);
        if (next !== undefined && next.isDoubted !== true) await digester.digest(community);
        await onRefused(community);
      }
      this.#troubles.forget(due.name);
    } catch (error) {
      const isTransient = error instanceof RetryableError;
      const sentence = isTransient ? 'an announcement has to wait' : 'bug: an announcement failed';
      this.#troubles.of(due.name).failed(error, sentence);
    }
    // Interrupted: the next replica starts it over.
    if (!signal.aborted) await replica.finish(due, EVERY, '');
  }

  /** Looks at all members if there may be something new. */
  async #look(
    community: Community,
    settings: AnnounceSettings,
    last: LastObservation | undefined,
  ): Promise<LastObservation | undefined> {
    const { store, planner, source, revision, newId, now, elapsed } = this.#options;
    const current = revision();
    const began = now();
    const isRecent = last !== undefined && isWithin(this.#options, last.lookedAt, LOOK_EVERY);
    if (isRecent && current === undefined) return last;
    const { doubt, isPartial } = await planner.basis(community);
    if (doubt !== undefined || isPartial) return asDoubted(last);
    // Read first: members who come meanwhile are checked again. They may rise with the very next data.
    const links = await store.linksIn(community);
    const isSame = current === last?.revision && links === last?.links;
    const isKnown = isRecent && isSame && last.isDoubted !== true;
    if (isKnown && elapsed(last.sureAt, began) < SURE_FOR) {
      return { ...last, sureAt: began };
    }
    const edition = await rulesVersionOf(source.reading('background'));
    // A source that tells its rules changes everything at once.
    const settles = last !== undefined && last.edition !== edition && current === undefined;
    const isSetBack = (last?.quietUntil ?? 0) > began + SETTLES_IN;
    const quietUntil = settles || isSetBack ? began + SETTLES_IN : last?.quietUntil;
    const isNew =
      last === undefined ||
      last.isDoubted === true ||
      last.edition !== edition ||
      elapsed(last.sureAt, began) >= SURE_FOR ||
      (quietUntil !== undefined && began < quietUntil);
    const epoch = isNew ? newId() : last.epoch;
    const isWhole = await this.#mark(community, settings, epoch, edition);
    // Some of it may have been seen by other rules.
    if (!isWhole) return asDoubted(last);
    return { epoch, edition, revision: current, links, sureAt: began, lookedAt: began, quietUntil };
  }

  /** @returns false if other rules went live meanwhile: then nothing of that page is kept */
  async #mark(
    community: Community,
    settings: AnnounceSettings,
    epoch: string,
    edition: string,
  ): Promise<boolean> {
    const { store, source, thresholds, now, elapsed, yieldToEventLoop, signal } = this.#options;
    const { walletMode: mode = 'best' } = await store.settingsOf(community);
    const looking = { source, thresholds, badges: settings.badges, mode };
    const ago = (time: number) => Math.max(0, elapsed(time, now()));
    for (let after = ''; ; ) {
      const page = await store.membersAfter(community, after, PAGE);
      const last = page.at(-1);
      if (last === undefined) return true;
      after = last.account;
      const accounts = page.map(({ account }) => account);
      const kept = new Map(
        (await store.marksOf(community, accounts)).map((each) => [each.account, each]),
      );
      const changed: Mark[] = [];
      for (const [i, member] of page.entries()) {
        if (i % AT_ONCE === AT_ONCE - 1) await yieldToEventLoop();
        const { account, wallets } = member;
        const before = kept.get(account);
        if (before === undefined && wallets.length === 0) continue;
        const sight = await lookAt(looking, member, epoch);
        if (sight === undefined) continue;
        const { basis, tier, badges } = sight;
        const seen = { basis, epoch, tier, badges };
        const next = marked(before, account, seen, settings.from, { now: now(), ago });
        if (!isSameMark(before, next)) changed.push(next);
      }
      if (signal.aborted || (await rulesVersionOf(source.reading('background'))) !== edition)
        return false;
      if (changed.length > 0) await store.putMarks(community, changed, [...kept.values()]);
    }
  }
}

function asDoubted(last: LastObservation | undefined): LastObservation | undefined {
  return last === undefined || last.isDoubted === true ? last : { ...last, isDoubted: true };
}
