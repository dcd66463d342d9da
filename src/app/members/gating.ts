import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  isOutage,
  type Logger,
  mapMaybe,
  messageOf,
  monotonicMs,
  outageLog,
  SettledClock,
  SharedProblemLog,
  SteppedClock,
} from '#base';
import { Upkeep } from '#base/process';
import { SettingCache, sleep } from '#base/waiting';
import { type Replica, soleReplica } from '#cluster';
import type { Account, Card } from '#command';
import { textsFor } from '#command/texts';
import {
  type AnnouncedAmong,
  Announcements,
  Announcer,
  admittedCard,
  type Community,
  type CommunityAdapter,
  communityTexts,
  Digester,
  type DrawRankCard,
  type Finding,
  type GateStore,
  GateWatch,
  Gating,
  MemberBoards,
  type MemberBoardsOptions,
  type Rule,
  refusedCard,
  type WalletMode,
  warningCard,
} from '#gating';
import type { ReputationSource, TierThresholds } from '#reputation';
import type { Wallet, WalletParser } from '#wallet';

/** Interval of the check for due work. */
const TICK_MS = 60_000;
/** Interval of the check for work left by dead replicas. */
const POLL_MS = 3_000;
/** Interval of the check for news to announce. */
const ROUND_MS = 15_000;
/** How long a moderator waits for a run before we say that it continues in the background. */
const PATIENCE_MS = 8_000;
const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789';

export interface CommunityGatingOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly thresholds: TierThresholds;
  readonly walletsOf: (account: Account) => Promise<readonly Wallet[]>;
  readonly announcedAmong: AnnouncedAmong;
  /** Draws members' rank cards; announcements have none by default. */
  readonly rankCard?: DrawRankCard;
  /** Finds the adapter of a configured chat. */
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** See `WatchOptions`. */
  readonly revision: () => string | undefined;
  readonly log: Logger;
  /** This process among those that share the store; undefined if it's the only one. */
  readonly replica?: Replica;
  /** For tests: replaces every clock; milliseconds since 1970. */
  readonly clock?: () => number;
  /** For tests: milliseconds that a moderator waits for a run; see `PATIENCE_MS`. */
  readonly patience?: number;
}

export interface CommunityGating {
  readonly gating: Gating;
  readonly watch: GateWatch;
  readonly announcements: Announcements;
  /** Resumes interrupted work, then maintains all communities periodically. */
  begin(): void;
  /** Stops work in flight between two changes. */
  stop(): Promise<void>;
}

/** Assembles gating. */
export function createGating(parts: CommunityGatingOptions): CommunityGating {
  const { clock, adapterOf, patience = PATIENCE_MS } = parts;
  const log = outageLog(parts.log, clock ?? monotonicMs);
  const dates = new SteppedClock(clock, clock);
  // The clock may be wrong from the start, so its date counts after an hour, which begins now.
  const settledDates = new SettledClock(clock, clock, 0);
  settledDates.now();
  const leaving = new AbortController();
  const { signal } = leaving;
  const textsOf = communityTexts(adapterOf, parts.store);
  const replica = parts.replica ?? soleReplica(log, clock);
  const yieldToEventLoop = () => nextTurn();
  const base = {
    ...parts,
    log,
    replica,
    now: () => dates.now(),
    elapsed: dates.elapsed.bind(dates),
    ago: dates.ago.bind(dates),
    settled: () => settledDates.now(),
    monotonic: clock ?? monotonicMs,
    signal,
  };
  const settings = {
    clock,
    onError: (error: unknown) =>
      log.debug({ reason: messageOf(error) }, "could not read a community's settings"),
  };
  const gating = new Gating({
    ...base,
    languages: new SettingCache<string>(settings),
    walletModes: new SettingCache<WalletMode>(settings),
    yieldToEventLoop,
    patience: () => sleep(patience, signal),
    newId: () => randomId(8),
    newRuleId,
    knowsBadge: (id) => parts.source.knowsBadge?.(id),
    onRun: async (result) => {
      watch.unanswered(result);
      await quietly(gating.reports.report(result));
    },
    onWarning: warn,
    onAdmitted: async (community, { account, locale }) =>
      await watch.tell(community, account, () =>
        notifyApplicant(community, account, (rules) => admittedCard(locale, rules)),
      ),
    onRefused: async (community, { account, locale }, why) =>
      await quietly(
        notifyApplicant(community, account, (rules) => refusedCard(locale, rules, why)),
      ),
    onRulesChanged: (community) => watch.rulesChanged(community),
  });
  const watch = new GateWatch({ ...base, gating });
  const newId = () => randomId(8);
  const { rankCard } = parts;
  const posting = { ...base, rankCard, textsOf, newId, yieldToEventLoop };
  const announcements = new Announcements({
    ...posting,
    announcer: new Announcer(posting),
    digester: new Digester(posting),
    planner: gating.planner,
    onRefused: (community) => gating.reports.notifyRefused(community),
  });

  async function warn(
    community: Community,
    finding: Finding,
  ): Promise<'told' | 'refused' | 'later'> {
    const adapter = adapterOf(community.platform);
    // They'll see it with the bot's next private answer.
    if (adapter?.notify === undefined) return 'told';
    let isDelivered = false;
    const isOver = await quietly(
      (async () => {
        const locale = await parts.store.localeOf(community, finding.account);
        // It's for one reader alone.
        const texts = locale === undefined ? await textsOf(community) : textsFor(locale);
        const card = warningCard(finding, texts);
        isDelivered = (await adapter.notify?.(community.id, finding.account, card)) === true;
      })(),
    );
    if (!isOver) return 'later';
    return isDelivered ? 'told' : 'refused';
  }
  async function notifyApplicant(
    community: Community,
    account: string,
    cardWith: (rules: readonly Rule[]) => Card,
  ): Promise<void> {
    const card = cardWith(await parts.store.rulesOf(community));
    await adapterOf(community.platform)?.notify?.(community.id, account, card);
  }
  /** @returns false if a member couldn't be notified */
  async function quietly(work: Promise<void>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'could not report a gating run');
      return false;
    }
  }

  const trouble = new SharedProblemLog(log);
  const onError = (job: string) => (error: unknown) =>
    trouble.failed(
      job,
      error,
      isOutage(error)
        ? 'gating: temporarily unavailable; retrying'
        : 'bug: gating failed; retrying',
    );
  const ticks = new Upkeep({
    everyMs: TICK_MS,
    work: () => watch.tick().then(() => trouble.resolve('ticks')),
    onError: onError('ticks'),
  });
  // Apart from the ticks, which may take long: work left by a dead replica must not wait for them.
  const polls = new Upkeep({
    everyMs: POLL_MS,
    work: () => watch.poll().then(() => trouble.resolve('polls')),
    onError: onError('polls'),
  });
  // Apart from both: neither a long run nor what a chat doesn't answer may make news late.
  const rounds = new Upkeep({
    everyMs: ROUND_MS,
    work: async () => {
      await announcements.round();
      await gating.panels.round();
      trouble.resolve('rounds');
    },
    onError: onError('rounds'),
  });
  return {
    gating,
    watch,
    announcements,
    begin() {
      void ticks.begin(() => watch.begin().then(() => trouble.resolve('ticks')));
      polls.beginLater();
      rounds.beginLater();
    },
    async stop() {
      leaving.abort();
      await Promise.all([ticks.stop(), polls.stop(), rounds.stop(), watch.idle()]);
    },
  };
}

/** No number: `/gate edit 5365` might mean a score. */
export function newRuleId(): string {
  const id = randomId(4);
  return /^\d/.test(id) ? newRuleId() : id;
}

function randomId(length: number): string {
  return Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');
}

/** Boards of communities' members, on the real clock unless another one is given. */
export function createBoards(
  parts: Omit<MemberBoardsOptions, 'monotonic' | 'yieldToEventLoop'> &
    Partial<Pick<MemberBoardsOptions, 'monotonic'>>,
): MemberBoards {
  return new MemberBoards({ monotonic: monotonicMs, ...parts, yieldToEventLoop: () => nextTurn() });
}

/** The same store, from which boards learn at once of new members of their communities. */
export function tellingBoards(store: GateStore, boards: () => MemberBoards): GateStore {
  return {
    ...store,
    noteMembers: (community, accounts) =>
      mapMaybe(store.noteMembers(community, accounts), (news) => {
        boards().noted(community, news);
        return news;
      }),
  };
}
