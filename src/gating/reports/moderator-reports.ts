import {
  type BackoffRange,
  BoundedMap,
  doublingDelay,
  type Logger,
  type MaybePromise,
  messageOf,
  RetryableError,
  UserError,
} from '#base';
import type { Replica } from '#cluster';
import { type Account, accountKey, type Card } from '#command';
import type { Texts } from '#command/texts';
import type { CommunityAdapter, ReportPlace, ReportRefusal } from '#gating/community-adapter';
import type { SourceDoubts } from '#gating/decide/source-doubts';
import type { RunResult } from '#gating/result';
import type { Implausible } from '#gating/rules/implausible';
import { isRuleRefusal } from '#gating/rules/refusals';
import { type Community, communityKey, isSame, type Rule } from '#gating/rules/rule';
import type { RuleBlockers } from '#gating/rules/rule-blockers';
import { changeCounts } from '#gating/runs/run';
import type { GateStore } from '#gating/store';
import { broughtNothing, canBeConfirmed, type Run } from './audit.ts';
import { countHeld } from './held.ts';
import { briefQuestion, gatheredResult, refusedReport, runReport } from './report.ts';

export interface ModeratorReportsOptions {
  readonly store: GateStore;
  readonly doubts: SourceDoubts;
  readonly blockers: Pick<RuleBlockers, 'ofGrants'>;
  readonly replica: Pick<Replica, 'during'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** In the community's language. */
  readonly textsOf: (community: Community) => Promise<Texts>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Monotonic milliseconds. */
  readonly monotonic: () => number;
}

/** Something that needs a moderator's answer. */
export type ModeratorQuestion =
  | { readonly kind: 'held'; readonly grantName: string }
  | { readonly kind: 'doubt'; readonly shows: Implausible };

/** Seconds during which checks of single members are collected into one report. */
const GATHERED_FOR = 600;
/** Seconds after which nothing is reported any more; the audit log has it. */
const FORGOTTEN_AFTER = 86_400;
/** Checks of a community that wait for a place that refuses them; of more, the audit log has the oldest. */
const CHECKS_KEPT = 100;
/** Runs reported in one round. */
const AT_ONCE = 1_000;
/** Milliseconds before another attempt after two failed: the second one is made in the next round. */
const PAUSE: BackoffRange = { first: 60_000, most: 3_600_000 };
/** Milliseconds before trying every place again if none was reachable. */
const TRIED_AGAIN_AFTER = 3_600_000;

/**
 * Reports to moderators what runs did. A question is asked once, wherever a moderator can be
 * reached: in the configured place, where the platform suggests, or with the next private answer to
 * one of them. Reported runs are marked, so that the successor of a killed process continues.
 */
export class ModeratorReports {
  readonly #options: ModeratorReportsOptions;
  /** What this process knows of unreported checks, by run. */
  readonly #looks = new BoundedMap<string, RunResult>(AT_ONCE);
  /** Communities where nobody could be reached, by key, and when to try again. */
  readonly #unreached = new Map<
    string,
    { readonly community: Community; readonly until: number }
  >();
  /** What the platform didn't answer, by subject, and when to try again. */
  readonly #waiting = new Map<string, { readonly tries: number; readonly until: number }>();

  constructor(options: ModeratorReportsOptions) {
    this.#options = options;
  }

  /** Reports a finished run. @throws RetryableError if that isn't possible now */
  async report(result: RunResult): Promise<void> {
    const { run, shows } = result;
    if (run.cause === 'member') {
      // Those that another replica reports are only forgotten by their age.
      this.#looks.set(run.id, result);
      return;
    }
    if (run.status === 'held' || shows !== undefined) await this.#ask(result);
    else if (isIdle(result)) await this.#markReported([run]);
    else await this.#reportOnce(result);
  }

  /**
   * Whether every place has refused a question for good, so that only private answers can carry it.
   */
  isConnectFailure(community: Community): boolean {
    return this.#unreached.has(communityKey(community));
  }

  /** Reports, once, why announcements can't be posted. @throws RetryableError as `#report` */
  async notifyRefused(community: Community): Promise<void> {
    const { store } = this.#options;
    const { announce, announced } = await store.settingsOf(community);
    const { refused, isTold } = announced ?? {};
    if (announce === undefined || refused === undefined || isTold === true) return;
    const channel = announce.channel === community.id ? undefined : announce.channel;
    const cardIn = (texts: Texts) => refusedReport(channel, refused, texts);
    await this.#report(community, `refused-${refused}`, cardIn);
    // Another replica may have gone on announcing meanwhile.
    await store.noteRefusalReported(community, refused);
  }

  /** Posts all outstanding questions and reports, of any process. */
  async notifyAll(): Promise<void> {
    const { store, replica, now } = this.#options;
    await replica.during('gate-reports', async () => {
      const untold = await store.unreportedRuns(AT_ONCE);
      // Older ones are no longer asked: the next pass finds them again.
      for (const run of untold.filter((each) => canBeConfirmed(each, now()))) {
        await this.#quietly(run.id, async () => await this.#ask(await this.#resultOf(run)));
      }
      const over = untold.filter(({ status, cause }) => status !== 'held' && cause !== 'member');
      for (const run of over) {
        const age = now() - (run.finishedAt ?? run.startedAt);
        if (broughtNothing(run.counts) || age >= FORGOTTEN_AFTER) await this.#markReported([run]);
        else {
          const report = async () => await this.#reportOnce(await this.#resultOf(run));
          // What refuses one of them refuses all.
          await this.#quietly(communityKey(run.community), report);
        }
      }
      const looks = untold.filter(({ cause }) => cause === 'member');
      for (const [name, ofCommunity] of Map.groupBy(looks, ({ community }) =>
        communityKey(community),
      )) {
        await this.#quietly(name, async () => await this.#reportChecks(ofCommunity));
      }
    });
  }

  /**
   * What a moderator's private answer must include because it couldn't be posted anywhere; this
   * counts as asking.
   * @param isModerator in the community of the command
   */
  async questionsFor(
    account: Account,
    here: Community | undefined,
    isModerator: () => MaybePromise<boolean>,
  ): Promise<readonly ModeratorQuestion[]> {
    const { store, doubts, now } = this.#options;
    const questions: ModeratorQuestion[] = [];
    for (const { community } of [...this.#unreached.values()]) {
      if (community.platform !== account.platform) continue;
      const rules = await store.rulesOf(community);
      const isHere = here !== undefined && isSame(here, community);
      const isAsked = await isCertain(() =>
        isHere ? isModerator() : this.#isMaker(account, community, rules),
      );
      if (!isAsked) continue;
      const held: Run[] = [];
      for (const run of await store.heldRuns(community)) {
        if (!isUntold(run) || !canBeConfirmed(run, now()) || !(await this.#isOpen(run))) continue;
        const [change] = await store.changesOf(run.id, 'planned', -1, 1);
        const rule = rules.find(({ id }) => id === change?.rule);
        questions.push({ kind: 'held', grantName: rule?.grantName ?? '' });
        held.push(run);
      }
      const shows = await doubts.untold(community);
      if (shows !== undefined) questions.push({ kind: 'doubt', shows });
      await store.markRunsReported(
        held.map(({ id }) => id),
        now(),
      );
      if (shows !== undefined) await doubts.told(community);
      this.#unreached.delete(communityKey(community));
    }
    return questions;
  }

  /** Whether they made one of the rules, and still may: others are to be asked if they can't be. */
  async #isMaker(
    account: Account,
    { platform, id }: Community,
    rules: readonly Rule[],
  ): Promise<boolean> {
    if (!rules.some(({ createdBy }) => createdBy === accountKey(account))) return false;
    return (await this.#options.adapterOf(platform)?.moderates(id, account.id)) === true;
  }

  async #ask(result: RunResult): Promise<void> {
    const { store, replica, doubts, textsOf, now } = this.#options;
    const { community, id } = result.run;
    // Another process has asked meanwhile, or leaves it to the next round.
    await replica.during(`gate-question:${communityKey(community)}`, async () => {
      const run = await store.run(id);
      const isHeld = run?.status === 'held' && isUntold(run) && (await this.#isOpen(run));
      const shows = result.shows && (await doubts.untold(community));
      if (!isHeld && shows === undefined) return;
      const texts = await textsOf(community);
      const card = runReport({ ...result, shows }, texts);
      const brief = briefQuestion(isHeld ? 'held' : 'doubt', texts);
      if (!(await this.#reach(community, card, brief, `ask-${id}`))) return;
      await store.markRunsReported([id], now());
      if (shows !== undefined) await doubts.told(community);
    });
  }

  /** Whether confirming a held run would still take anything: members recover, rules are edited. */
  async #isOpen(run: Run): Promise<boolean> {
    return (await countHeld(this.#options.store, run)) > 0;
  }

  /** @returns whether a moderator was reached */
  async #reach(community: Community, card: Card, brief: Card, key: string): Promise<boolean> {
    const { monotonic } = this.#options;
    const name = communityKey(community);
    if (monotonic() < (this.#unreached.get(name)?.until ?? Number.NEGATIVE_INFINITY)) return false;
    this.#unreached.delete(name);
    for await (const { channel, isPublic } of this.#places(community)) {
      const written = await this.#write(community, channel, isPublic ? brief : card, key);
      if (written === true) return true;
    }
    this.#unreached.set(name, { community, until: monotonic() + TRIED_AGAIN_AFTER });
    return false;
  }

  /** The configured place first, then other places, starting with authors of rules. */
  async *#places(community: Community): AsyncGenerator<ReportPlace> {
    const { store, adapterOf } = this.#options;
    const { platform, id } = community;
    const { logChannel } = await store.settingsOf(community);
    if (logChannel !== undefined) yield { channel: logChannel, isPublic: false };
    const makers = new Set((await store.rulesOf(community)).map(({ createdBy }) => createdBy));
    const isMaker = ({ channel }: ReportPlace) => makers.has(accountKey({ platform, id: channel }));
    const others = (await adapterOf(platform)?.otherPlaces?.(id)) ?? [];
    const first = others.toSorted((a, b) => Number(isMaker(b)) - Number(isMaker(a)));
    yield* first.filter(({ channel }) => channel !== logChannel);
  }

  /**
   * @returns why not, if the place refuses it; undefined if nothing can come of it
   * @throws RetryableError if it may have been posted, or may be soon; then no other place is tried
   */
  async #write(
    community: Community,
    channel: string,
    card: Card,
    key: string,
  ): Promise<true | ReportRefusal | undefined> {
    const { adapterOf, log } = this.#options;
    const { platform, id } = community;
    try {
      return await adapterOf(platform)?.report(id, channel, card, key);
    } catch (err) {
      if (err instanceof RetryableError) throw err;
      log.error({ err }, 'bug: could not write a gating report');
      return undefined;
    }
  }

  /** Reports what a run did, unless it's been reported. */
  async #reportOnce(result: RunResult): Promise<void> {
    const { store, replica } = this.#options;
    const { id, community } = result.run;
    await replica.during(`gate-question:${communityKey(community)}`, async () => {
      // A run that changed nothing may be deleted by now.
      const run = await store.run(id);
      if (run !== undefined && !isUntold(run)) return;
      await this.#report(community, `run-${id}`, (texts) => runReport(result, texts));
      await this.#markReported([result.run]);
    });
  }

  /**
   * Reports without a question only go to the configured place.
   * @throws RetryableError also while that refuses them: it may be opened again, or another one be chosen
   */
  async #report(community: Community, key: string, cardIn: (texts: Texts) => Card): Promise<void> {
    const { store, textsOf } = this.#options;
    const { logChannel } = await store.settingsOf(community);
    if (logChannel === undefined) return;
    const card = cardIn(await textsOf(community));
    const written = await this.#write(community, logChannel, card, key);
    if (written !== true && written !== undefined) throw new RefusedReport(written);
  }

  /** @param runs checks in one community, oldest first */
  async #reportChecks(runs: readonly Run[]): Promise<void> {
    const { now } = this.#options;
    const ageOf = ({ startedAt }: Run) => Math.abs(now() - startedAt);
    const counted: Run[] = [];
    for (const run of runs) counted.push(await this.#countedNow(run));
    const isOld = (run: Run) => ageOf(run) >= FORGOTTEN_AFTER;
    await this.#markReported(counted.filter(isOld));
    // The others are still running.
    const over = counted.filter((run) => !isOld(run) && !broughtNothing(run.counts));
    const [oldest] = over;
    if (oldest !== undefined && ageOf(oldest) >= GATHERED_FOR) {
      const results: RunResult[] = [];
      for (const run of over) {
        results.push({ ...(await this.#resultOf(run)), ...this.#seenBy(run) });
      }
      try {
        const gathered = gatheredResult(results, oldest);
        const cardIn = (texts: Texts) => runReport(gathered, texts);
        await this.#report(oldest.community, `looks-${oldest.id}`, cardIn);
      } catch (error) {
        // Those of one community mustn't be in the way of all others.
        if (error instanceof RefusedReport) await this.#markReported(over.slice(0, -CHECKS_KEPT));
        throw error;
      }
      await this.#markReported(over);
    }
  }

  /** A check may have been killed before it counted, or its change settled after it was over. */
  async #countedNow(run: Run): Promise<Run> {
    const counts = { ...run.counts, ...changeCounts(await this.#options.store.tallyOf(run.id)) };
    return { ...run, counts };
  }

  /** What only the process that made a check knows of it. */
  #seenBy({ id }: Run): Partial<Pick<RunResult, 'rules' | 'warned'>> {
    const kept = this.#looks.get(id);
    return kept === undefined ? {} : { rules: kept.rules, warned: kept.warned };
  }

  async #markReported(runs: readonly Run[]): Promise<void> {
    const { store, now } = this.#options;
    const ids = runs.map(({ id }) => id);
    if (ids.length > 0) await store.markRunsReported(ids, now());
    for (const id of ids) this.#looks.delete(id);
  }

  /** What the store alone knows of a run. */
  async #resultOf(run: Run): Promise<RunResult> {
    const { store, blockers } = this.#options;
    const { community } = run;
    const changes = await store.changesOf(run.id, undefined, -1, Number.MAX_SAFE_INTEGER);
    const refused = changes.filter(({ reason }) => isRuleRefusal(reason)).map((it) => it.grant);
    return {
      run,
      rules: await store.rulesOf(community),
      changes,
      warned: [],
      doubt: undefined,
      shows: undefined,
      problems: refused.length === 0 ? [] : await blockers.ofGrants(community, new Set(refused)),
    };
  }

  /** One community must neither delay the others nor be retried all the time. */
  async #quietly(key: string, work: () => Promise<void>): Promise<void> {
    const { monotonic, log } = this.#options;
    const { tries, until } = this.#waiting.get(key) ?? {
      tries: 0,
      until: Number.NEGATIVE_INFINITY,
    };
    if (monotonic() < until) return;
    this.#waiting.delete(key);
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      const pause = tries === 0 ? 0 : doublingDelay(tries, PAUSE);
      if (this.#waiting.size < AT_ONCE) {
        this.#waiting.set(key, { tries: tries + 1, until: monotonic() + pause });
      }
      log.warn({ error: messageOf(error) }, 'could not notify moderators; retrying later');
    }
  }
}

/** The place where reports go doesn't take them now. */
class RefusedReport extends RetryableError {
  constructor(why: ReportRefusal) {
    super(`The place where reports go refuses them: ${why}.`);
  }
}

function isUntold({ toldAt }: Run): boolean {
  return toldAt === undefined;
}

function isIdle({ run, problems }: RunResult): boolean {
  return broughtNothing(run.counts) && problems.length === 0;
}

/** Whether it's so; an answer to something else doesn't fail because nobody knows. */
async function isCertain(isSo: () => MaybePromise<boolean>): Promise<boolean> {
  try {
    return await isSo();
  } catch (error) {
    if (error instanceof RetryableError || error instanceof UserError) return false;
    throw error;
  }
}
