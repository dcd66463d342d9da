import { statSync } from 'node:fs';
import { type Logger, messageOf, ProblemLog, RetryableError, SettledDay, UserError } from '#base';
import { sleep } from '#base/waiting';
import { type Replica, type WorkHealth, worksNotice } from '#cluster';
import type { RuleSet } from '#scoring/model';
import type { ScoreVersion } from '#scoring/score-versions/score-version';
import type { ScoringStore } from '#scoring/score-versions/store';
import type { WalletParser } from '#wallet';
import { applyRefusal, applyRules, evaluatorOf } from './apply.ts';
import {
  type Candidate,
  candidateSteps,
  type FileState,
  hasHash,
  keptCandidateSteps,
  liveOr,
  type RulesStatus,
  ruleSetSteps,
  rulesStatus,
  StoredWording,
} from './candidate.ts';
import { runStepsYielding } from './steps.ts';

/** How often to check for new evidence and for days that have ended. */
const POLL_MS = 1_000;
/** How often to check the file. */
const FILE_MS = 5_000;
/** Wallets per commit: requests wait for as long as one takes. */
const AT_ONCE = 25;
/**
 * While sources are read, nearly every range would score the same wallets again. So scoring rests for this
 * many times as long as it took, up to a limit.
 */
const REST_TIMES = 10;
const REST_MOST_MS = 60_000;
/** For how long to score at a time then, since evidence arrives faster than it's scored. */
const READING_STEP_MS = 1_000;
/** Time between two progress lines in the log. */
const TELL_MS = 10_000;

/** Retryable failures usually pass: only those that last this long count. */
const FAILING_MS = 10_000;

const CLOCK_AHEAD =
  'the system clock is days ahead of the last daily steps of scores; the next ones wait for an hour, as they can’t be taken back';

/** The replica that evaluates the rules is elected with it. */
export const RULES_CLAIM = 'rules';

export interface LiveRulesOptions {
  /** The rules file; undefined if none is configured. */
  readonly path: string | undefined;
  readonly store: ScoringStore;
  readonly wallets: WalletParser;
  readonly replica: Pick<Replica, 'during' | 'peersAnnounce'>;
  readonly log: Logger;
  /** Makes our own commits visible at once. */
  readonly refresh: () => Promise<void>;
  /** Called repeatedly with whether evidence is being scored. */
  readonly report: (health: WorkHealth) => void;
  /** Whether sources are being read and a lot is still to come. */
  readonly isReading?: () => boolean;
  /** Wallets per commit. */
  readonly runSteps?: number;
  /** Intervals for tests: for evidence, and for the file. */
  readonly pollMs?: number;
  readonly fileMs?: number;
  readonly failingMs?: number;
  readonly day?: SettledDay;
}

/**
 * Keeps the live rules' scores up to date, and applies the configured file if no rules are live. A
 * file that changes later is a candidate; one that's broken or gone changes nothing.
 */
export class LiveRules {
  readonly #options: LiveRulesOptions;
  readonly #stopping = new AbortController();
  readonly #fileTrouble: ProblemLog;
  readonly #trouble: ProblemLog;
  readonly #clockTrouble: ProblemLog;
  readonly #day: SettledDay;
  readonly #wording: StoredWording;
  #running: Promise<unknown> = Promise.resolve();
  #live: ScoreVersion | undefined;
  #file: FileState = { kind: 'none' };
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** The file and its lists, as they were just before the last read; empty before the first one. */
  #seen: ReadonlyMap<string, string> = new Map();
  #candidate: Candidate | undefined;
  #compiled: { readonly number: number; readonly candidate: Candidate } | undefined;
  #before: RuleSet | undefined;
  /**
   * When the first failure in a row happened, by performance.now(); undefined: the last check
   * succeeded, here or in another replica.
   */
  #failingSince: number | undefined;
  #isUnscored = false;
  #isStarting = true;
  #hasLooked = false;

  constructor(options: LiveRulesOptions) {
    this.#options = options;
    this.#fileTrouble = new ProblemLog(options.log);
    this.#trouble = new ProblemLog(options.log);
    this.#clockTrouble = new ProblemLog(options.log);
    this.#day = options.day ?? new SettledDay();
    this.#wording = new StoredWording(options.store);
  }

  begin(): void {
    this.#running = this.#run();
  }

  /** Ends after the current commit. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Whether evidence isn't being scored, as far as this replica knows. */
  get isUnscored(): boolean {
    return this.#isUnscored;
  }

  /** Whether nothing is known yet: the rules haven't been followed since the start. */
  get isStarting(): boolean {
    return this.#isStarting;
  }

  /** Whether none are live and the file can't be used, so that nothing scores evidence. */
  get isMissing(): boolean {
    return this.#live === undefined && this.#file.kind === 'broken';
  }

  /** Whether rules are about to go live for the first time; undefined until it's known which are live. */
  get isPending(): boolean | undefined {
    if (!this.#hasLooked) return undefined;
    return this.#compiled === undefined && this.#candidate !== undefined;
  }

  /** Undefined if there are neither rules nor a file. */
  status(): RulesStatus | undefined {
    return rulesStatus({
      ...{ live: this.#live, file: this.#file, isUnscored: this.#isUnscored },
      isToBeRead: this.#isStarting && this.#options.path !== undefined,
    });
  }

  /**
   * Rules whose sources must be read: including those before the live ones, so that undoing is
   * quick.
   */
  wanted(): { readonly live: RuleSet | undefined; readonly others: readonly RuleSet[] } {
    const live = this.#compiled?.candidate.evaluation.rules;
    const others = [this.#candidate?.evaluation.rules, this.#before];
    return { live, others: others.filter((each) => each !== undefined) };
  }

  async #run(): Promise<void> {
    const { replica, pollMs = POLL_MS } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await this.#poll();
        await replica.during(RULES_CLAIM, async (lease) => this.#follow(lease.signal));
        this.#standBy();
      } catch (error) {
        if (signal.aborted) return;
        this.#failed(error);
        const message = 'the rules can’t be followed now; trying again';
        if (error instanceof UserError)
          this.#trouble.report(error.message, 'error', {}, error.message);
        else this.#trouble.failed(error, message);
      }
      await sleep(pollMs, signal);
    }
  }

  /** Until this process stops, or another one takes over. */
  async #follow(lost: AbortSignal): Promise<void> {
    const stopping = this.#stopping.signal;
    const signal = AbortSignal.any([stopping, lost]);
    const { pollMs = POLL_MS, isReading = () => false } = this.#options;
    let restUntil = Number.NEGATIVE_INFINITY;
    try {
      while (!signal.aborted) {
        const began = performance.now();
        if (this.#live === undefined || began >= restUntil || !isReading()) {
          await this.#step(signal);
          this.#recovered('works');
          const ended = performance.now();
          restUntil = ended + Math.min(REST_MOST_MS, (ended - began) * REST_TIMES);
        }
        await sleep(pollMs, stopping);
        await this.#poll();
      }
    } catch (error) {
      if (!lost.aborted) throw error;
    }
  }

  /** Another replica evaluates the rules. */
  #standBy(): void {
    // If all fail, each gives way to the next; one that succeeds says so.
    const isWell =
      this.#failingSince === undefined ||
      this.#options.replica.peersAnnounce(worksNotice(RULES_CLAIM));
    if (isWell) this.#recovered(undefined);
    else this.#reportFailure();
  }

  /** @param health whether they're evaluated here */
  #recovered(health: 'works' | undefined): void {
    this.#failingSince = undefined;
    this.#isStarting = false;
    this.#isUnscored = false;
    this.#options.report(health);
    this.#trouble.resolve('the rules are followed again');
  }

  #failed(error: unknown): void {
    const now = performance.now();
    const { failingMs = FAILING_MS } = this.#options;
    this.#failingSince ??= now;
    const isTransient = error instanceof RetryableError;
    if (!isTransient || now - this.#failingSince >= failingMs) this.#isUnscored = true;
    this.#reportFailure();
  }

  #reportFailure(): void {
    this.#options.report(this.#isUnscored ? 'fails' : undefined);
  }

  /** Finds which rules are live, and how the file compares. */
  async #poll(): Promise<void> {
    const { path, store } = this.#options;
    this.#live = await store.live();
    // First, as the live rules are usually those of the file.
    if (path !== undefined) await this.#readIfChanged(path);
    if (this.#live !== undefined) await this.#compile(this.#live);
    if (path !== undefined) await this.#compareFile(path);
    this.#hasLooked = true;
  }

  async #readIfChanged(path: string): Promise<void> {
    const now = performance.now();
    if (now - this.#checkedAt < (this.#options.fileMs ?? FILE_MS)) return;
    this.#checkedAt = now;
    const isSame = [...this.#seen].every(([file, stamp]) => stampOf(file) === stamp);
    if (this.#seen.size === 0 || !isSame) await this.#read(path);
  }

  async #read(path: string): Promise<void> {
    // Lists are watched even if reading fails: one of them may be what's missing.
    const seen = new Map<string, string>();
    this.#seen = seen;
    try {
      const steps = candidateSteps(path, this.#options.wallets, (file) => {
        seen.set(file, stampOf(file));
      });
      const live = this.#compiled?.candidate;
      this.#candidate = liveOr(await runStepsYielding(steps, this.#stopping.signal), live);
      this.#fileTrouble.resolve();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      [this.#candidate, this.#file] = [undefined, { kind: 'broken' }];
      const rest = this.#live === undefined ? 'No rules are live.' : 'The live rules go on.';
      this.#fileTrouble.report(error.message, 'error', {}, `RULES: ${error.message} ${rest}`);
    }
  }

  async #compareFile(path: string): Promise<void> {
    const [candidate, live] = [this.#candidate, this.#live];
    if (candidate === undefined) return;
    const { version, hash } = candidate.kept;
    if (live === undefined || hasHash(candidate, live.hash)) {
      this.#file = { kind: 'live' };
      // If these rules are undone, the file is a candidate once more.
      this.#fileTrouble.resolve();
      return;
    }
    const refusal = applyRefusal(candidate.kept, await this.#options.store.scoreVersions());
    this.#file = { kind: 'candidate', version, refusal };
    const todo =
      refusal ??
      `See what it would change with "fathom rules rehearse ${path}", and make it live with "fathom rules apply ${path}".`;
    this.#fileTrouble.report(
      `candidate ${hash} ${todo}`,
      'warn',
      {},
      `RULES: ${path} (version ${version}) isn't what is live (version ${live.version}). ${todo}`,
    );
  }

  async #step(signal: AbortSignal): Promise<void> {
    if (this.#live === undefined) {
      if (this.#candidate !== undefined) await this.#applyFirst(this.#candidate, signal);
      return;
    }
    const before = this.#live;
    const { store, refresh } = this.#options;
    const { evaluation } = await this.#compile(before);
    await this.#wording.keep(this.#candidate, before);
    const { runSteps = AT_ONCE, isReading = () => false } = this.#options;
    const until = performance.now() + READING_STEP_MS;
    const isEnough = () => performance.now() >= until;
    const few = isReading() ? { arrivals: runSteps, isEnough } : {};
    this.#day.start(before.asOf);
    const day = () => this.#day.today();
    this.#sayClock();
    const evaluator = evaluatorOf({ store, signal, runSteps, ...few, today: day });
    await evaluator.follow(before, evaluation);
    this.#live = await store.live();
    if (this.#live?.arrived !== before.arrived || this.#live.asOf !== before.asOf) await refresh();
  }

  #sayClock(): void {
    if (this.#day.isHeld) this.#clockTrouble.report('ahead', 'warn', {}, CLOCK_AHEAD);
    else this.#clockTrouble.resolve('the system clock is trusted again');
  }

  /** What is in memory already isn't read again: a long list takes seconds and hundreds of megabytes. */
  async #compile({ number, replaces, hash }: ScoreVersion): Promise<Candidate> {
    const last = this.#compiled;
    if (last?.number === number) return last.candidate;
    const candidate =
      this.#candidate?.kept.hash === hash ? this.#candidate : await this.#stored(number);
    this.#before =
      replaces !== undefined && last?.number === replaces
        ? last.candidate.evaluation.rules
        : await this.#storedBefore(replaces);
    this.#compiled = { number, candidate };
    return candidate;
  }

  async #stored(number: number): Promise<Candidate> {
    const { store, wallets } = this.#options;
    const kept = await store.rules(number);
    if (kept === undefined) throw new Error(`the rules of score version ${number} are not there`);
    return await runStepsYielding(keptCandidateSteps(kept, wallets), this.#stopping.signal);
  }

  async #storedBefore(number: number | undefined): Promise<RuleSet | undefined> {
    const { store, wallets } = this.#options;
    const kept = number === undefined ? undefined : await store.rules(number);
    return kept && (await runStepsYielding(ruleSetSteps(kept, wallets), this.#stopping.signal));
  }

  /** If no rules are live, the file is what the operator wants. */
  async #applyFirst(candidate: Candidate, signal: AbortSignal): Promise<void> {
    const { store, log, refresh } = this.#options;
    const { name, version } = candidate.kept;
    let toldAt = performance.now();
    try {
      await applyRules(candidate, {
        ...{ store, signal, runSteps: this.#options.runSteps ?? AT_ONCE },
        onProgress({ done, all }) {
          if (performance.now() - toldAt < TELL_MS) return;
          toldAt = performance.now();
          log.info({ done, all }, `computing scores by ${name} version ${version}`);
        },
      });
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      this.#file = { kind: 'broken' };
      this.#candidate = undefined;
      this.#fileTrouble.report(messageOf(error), 'error', {}, `RULES: ${messageOf(error)}`);
      return;
    }
    this.#live = await store.live();
    log.info({}, `${name} version ${version} is live`);
    await refresh();
  }
}

/** Tells versions of a file apart without reading it. */
function stampOf(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${mtimeMs} ${size} ${ino}`;
  } catch (error) {
    return messageOf(error);
  }
}
