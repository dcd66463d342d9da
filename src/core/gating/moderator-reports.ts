import type { Card } from '#core/card';
import { messageOf, RetryableError } from '#core/errors';
import { canBeConfirmed, NO_COUNTS, type Run, type RunCounts } from '#core/gating/audit';
import type { Implausible } from '#core/gating/implausible';
import type { GateKeeper, Place } from '#core/gating/keeper';
import { briefQuestion, runReport } from '#core/gating/report';
import type { RunResult } from '#core/gating/result';
import { type Community, isSame } from '#core/gating/rule';
import type { SourceDoubts } from '#core/gating/source-doubts';
import type { GateStore } from '#core/gating/store';
import { type Account, accountKey } from '#core/links/account';
import type { Logger } from '#core/logger';
import type { MaybePromise } from '#core/maybe-promise';
import type { Texts } from '#core/texts/index';
import type { Replica } from '#core/work/replica';

export interface ModeratorReportsOptions {
  readonly store: GateStore;
  readonly doubts: SourceDoubts;
  readonly replica: Pick<Replica, 'during'>;
  readonly keeperOf: (platform: Community['platform']) => GateKeeper | undefined;
  /** In the community's language. */
  readonly textsOf: (community: Community) => Promise<Texts>;
  readonly log: Logger;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic: () => number;
}

/** Something that waits for a moderator's answer. */
export type Question =
  | { readonly kind: 'held'; readonly grantName: string }
  | { readonly kind: 'doubt'; readonly shows: Implausible };

/** Seconds for which looks at single members are gathered into one report. */
const GATHERED_FOR = 600;
/** Seconds after which a look that came to no end is not told of any more: the audit has it. */
const FORGOTTEN_AFTER = 86_400;
/** Runs that are told of at once. */
const AT_ONCE = 1_000;
/** Milliseconds until what got no answer twice is tried again, doubled each time, and at most. */
const PAUSE = 60_000;
const LONGEST_PAUSE = 3_600_000;
/** Milliseconds until all places are tried again in which nobody could be asked. */
const TRIED_AGAIN_AFTER = 3_600_000;

/**
 * Tells moderators what runs came to. What waits for their answer is put to them once, wherever one of
 * them can be reached: where they have said, where the platform reaches them, or with the next private
 * answer to one of them. A run is noted as told, so that whoever comes after a killed process goes on.
 */
export class ModeratorReports {
  readonly #options: ModeratorReportsOptions;
  /** What this process knows of looks that are not told of yet, by run. */
  readonly #looks = new Map<string, RunResult>();
  /** Communities in which nobody could be asked, by key, and when to try again. */
  readonly #unreached = new Map<
    string,
    { readonly community: Community; readonly until: number }
  >();

  /** What the platform gave no answer to, by what it is about, and when to try again. */
  readonly #waiting = new Map<string, { readonly tries: number; readonly until: number }>();

  constructor(options: ModeratorReportsOptions) {
    this.#options = options;
  }

  /** Tells of a run that has ended. @throws RetryableError when that can't be done now */
  async tell(result: RunResult): Promise<void> {
    const { run, shows } = result;
    if (run.cause === 'member') {
      if (this.#looks.size < AT_ONCE) this.#looks.set(run.id, result);
      return;
    }
    if (run.status === 'held' || shows !== undefined) await this.#ask(result);
    else if (isIdle(result)) await this.#noteTold([run]);
    else await this.#reportOnce(result);
  }

  /** Whether every place has refused a question for good, so that only private answers can ask it. */
  isUnreached(community: Community): boolean {
    return this.#unreached.has(keyOf(community));
  }

  /** Asks and tells what nobody was told of yet, by whichever process. */
  async tellAll(): Promise<void> {
    const { store, replica, now } = this.#options;
    await replica.during('gate-reports', async () => {
      const untold = await store.untoldRuns(AT_ONCE);
      // Of an older one nobody is asked any more: the next pass does it anew.
      for (const run of untold.filter((each) => canBeConfirmed(each, now()))) {
        await this.#quietly(run.id, async () => await this.#ask(await this.#resultOf(run)));
      }
      const over = untold.filter(({ status, cause }) => status !== 'held' && cause !== 'member');
      for (const run of over) {
        const age = now() - (run.finishedAt ?? run.startedAt);
        if (isNothing(run.counts) || age >= FORGOTTEN_AFTER) await this.#noteTold([run]);
        else {
          const report = async () => await this.#reportOnce(await this.#resultOf(run));
          await this.#quietly(run.id, report);
        }
      }
      const looks = untold.filter(({ cause }) => cause === 'member');
      for (const [name, its] of Map.groupBy(looks, ({ community }) => keyOf(community))) {
        await this.#quietly(name, async () => await this.#tellLooks(its));
      }
    });
  }

  /**
   * What somebody who asks privately must hear, as it could be put to nobody else; they are asked by it.
   * @param isModerator in the community in which they ask
   */
  async questionsFor(
    account: Account,
    here: Community | undefined,
    isModerator: () => MaybePromise<boolean>,
  ): Promise<readonly Question[]> {
    const { store, doubts, now } = this.#options;
    const questions: Question[] = [];
    for (const { community } of [...this.#unreached.values()]) {
      if (community.platform !== account.platform) continue;
      const rules = await store.rulesOf(community);
      const isMaker = rules.some(({ createdBy }) => createdBy === accountKey(account));
      const isHere = here !== undefined && isSame(here, community);
      if (!isMaker && !(isHere && (await isModerator()))) continue;
      const held = (await store.heldRuns(community)).filter(
        (run) => isUntold(run) && canBeConfirmed(run, now()),
      );
      for (const run of held) {
        const grants = new Set(
          (await store.changesOf(run.id, 'planned', -1, 1)).map(({ rule }) => rule),
        );
        const rule = rules.find(({ id }) => grants.has(id));
        questions.push({ kind: 'held', grantName: rule?.grantName ?? '' });
      }
      const shows = await doubts.untold(community);
      if (shows !== undefined) questions.push({ kind: 'doubt', shows });
      await store.tellRuns(
        held.map(({ id }) => id),
        now(),
      );
      if (shows !== undefined) await doubts.told(community);
      this.#unreached.delete(keyOf(community));
    }
    return questions;
  }

  async #ask(result: RunResult): Promise<void> {
    const { store, replica, doubts, textsOf, now } = this.#options;
    const { community, id } = result.run;
    // Whoever else is at it has asked, or leaves it to the next look.
    await replica.during(`gate-question:${keyOf(community)}`, async () => {
      const run = await store.run(id);
      const isHeld = run?.status === 'held' && isUntold(run);
      const shows = result.shows && (await doubts.untold(community));
      if (!isHeld && shows === undefined) return;
      const texts = await textsOf(community);
      const card = runReport({ ...result, shows }, texts);
      const brief = briefQuestion(isHeld ? 'held' : 'doubt', texts);
      if (!(await this.#reach(community, card, brief, `ask-${id}`))) return;
      await store.tellRuns([id], now());
      if (shows !== undefined) await doubts.told(community);
    });
  }

  /** @returns whether somebody was reached */
  async #reach(community: Community, card: Card, brief: Card, key: string): Promise<boolean> {
    const { monotonic } = this.#options;
    const name = keyOf(community);
    if (monotonic() < (this.#unreached.get(name)?.until ?? Number.NEGATIVE_INFINITY)) return false;
    this.#unreached.delete(name);
    for await (const { channel, isPublic } of this.#places(community)) {
      if (!(await this.#write(community, channel, isPublic ? brief : card, key))) continue;
      return true;
    }
    this.#unreached.set(name, { community, until: monotonic() + TRIED_AGAIN_AFTER });
    return false;
  }

  /** Where moderators want it, then wherever they may be, makers of rules first. */
  async *#places(community: Community): AsyncGenerator<Place> {
    const { store, keeperOf } = this.#options;
    const { platform, id } = community;
    const { logChannel } = await store.settingsOf(community);
    if (logChannel !== undefined) yield { channel: logChannel, isPublic: false };
    const makers = new Set((await store.rulesOf(community)).map(({ createdBy }) => createdBy));
    const isMaker = ({ channel }: Place) => makers.has(accountKey({ platform, id: channel }));
    const others = (await keeperOf(platform)?.otherPlaces?.(id)) ?? [];
    const first = others.toSorted((a, b) => Number(isMaker(b)) - Number(isMaker(a)));
    yield* first.filter(({ channel }) => channel !== logChannel);
  }

  /** @throws RetryableError when it may be there, or may be soon: no other place is tried then */
  async #write(community: Community, channel: string, card: Card, key: string): Promise<boolean> {
    const { keeperOf, log } = this.#options;
    const { platform, id } = community;
    try {
      return (await keeperOf(platform)?.report(id, channel, card, key)) === true;
    } catch (err) {
      if (err instanceof RetryableError) throw err;
      log.error({ err }, 'a bug: a report of gating could not be written');
      return false;
    }
  }

  /** Tells what a run came to, unless somebody has told it. */
  async #reportOnce(result: RunResult): Promise<void> {
    const { store, replica } = this.#options;
    const { id, community } = result.run;
    await replica.during(`gate-question:${keyOf(community)}`, async () => {
      // One that changed nothing may be forgotten by now.
      const run = await store.run(id);
      if (run !== undefined && !isUntold(run)) return;
      await this.#report(result, `run-${id}`);
      await this.#noteTold([result.run]);
    });
  }

  /** Reports that ask nothing are told where moderators want them, or nowhere. */
  async #report(result: RunResult, key: string): Promise<void> {
    const { store, textsOf } = this.#options;
    const { community } = result.run;
    const { logChannel } = await store.settingsOf(community);
    if (logChannel === undefined) return;
    await this.#write(community, logChannel, runReport(result, await textsOf(community)), key);
  }

  /** @param runs looks in one community, oldest first */
  async #tellLooks(runs: readonly Run[]): Promise<void> {
    const { now } = this.#options;
    const ageOf = ({ startedAt }: Run) => Math.abs(now() - startedAt);
    // The others are under way, or were killed.
    const over = runs.filter(({ counts }) => !isNothing(counts));
    const [oldest] = over;
    if (oldest !== undefined && ageOf(oldest) >= GATHERED_FOR) {
      const results: RunResult[] = [];
      for (const run of over) results.push(this.#looks.get(run.id) ?? (await this.#resultOf(run)));
      await this.#report(gathered(results, oldest), `looks-${oldest.id}`);
      await this.#noteTold(over);
    }
    await this.#noteTold(
      runs.filter((run) => isNothing(run.counts) && ageOf(run) >= FORGOTTEN_AFTER),
    );
  }

  async #noteTold(runs: readonly Run[]): Promise<void> {
    const { store, now } = this.#options;
    const ids = runs.map(({ id }) => id);
    if (ids.length > 0) await store.tellRuns(ids, now());
    for (const id of ids) this.#looks.delete(id);
  }

  /** What is known of a run from the store alone. */
  async #resultOf(run: Run): Promise<RunResult> {
    const { store } = this.#options;
    return {
      run,
      rules: await store.rulesOf(run.community),
      changes: await store.changesOf(run.id, undefined, -1, Number.MAX_SAFE_INTEGER),
      warned: [],
      doubt: undefined,
      shows: undefined,
      troubles: [],
    };
  }

  /** One community must not keep the others from being told, nor be tried all the time. */
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
      const pause = Math.min(PAUSE * (2 ** tries - 1), LONGEST_PAUSE);
      if (this.#waiting.size < AT_ONCE) {
        this.#waiting.set(key, { tries: tries + 1, until: monotonic() + pause });
      }
      log.warn({ error: messageOf(error) }, 'moderators are told later');
    }
  }
}

function keyOf({ platform, id }: Community): string {
  return `${platform}:${id}`;
}

function isUntold({ toldAt }: Run): boolean {
  return toldAt === undefined;
}

function isNothing({ given, taken, warned, refused, held, unsettled }: RunCounts): boolean {
  return given + taken + warned + refused + held + unsettled === 0;
}

function isIdle({ run, troubles }: RunResult): boolean {
  return isNothing(run.counts) && troubles.length === 0;
}

/** Several looks as if they were one run. */
function gathered(results: readonly RunResult[], oldest: Run): RunResult {
  const counts = results.reduce(
    (sum, { run }) =>
      Object.fromEntries(
        Object.entries(sum).map(([key, n]) => [key, n + run.counts[key as keyof RunCounts]]),
      ) as unknown as RunCounts,
    NO_COUNTS,
  );
  const rules = new Map(results.flatMap((each) => each.rules).map((rule) => [rule.id, rule]));
  return {
    run: { ...oldest, counts },
    rules: [...rules.values()],
    changes: results.flatMap(({ changes }) => changes),
    warned: results.flatMap(({ warned }) => warned),
    doubt: undefined,
    shows: undefined,
    troubles: [],
  };
}
