import { type Change, NO_COUNTS, type Run, type RunCounts } from '#core/gating/audit';
import { isTooMany } from '#core/gating/brake';
import { Executor, type Progress } from '#core/gating/executor';
import type { GateKeeper } from '#core/gating/keeper';
import { type Basis, type Finding, Planner } from '#core/gating/planner';
import { RollCall } from '#core/gating/roll-call';
import type { Community, Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import type { UnknownReason } from '#core/gating/verdict';
import type { Logger } from '#core/logger';
import type { ReputationSource } from '#core/ports';
import type { WalletParser } from '#core/wallet';

export interface RunnerOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly keeperOf: (platform: Community['platform']) => GateKeeper | undefined;
  /** Told what a run came to; it may write to the moderators. */
  readonly onRun: (result: RunResult) => Promise<void>;
  /** A member's grace period begins. */
  readonly onWarning: (community: Community, finding: Finding) => Promise<void>;
  readonly log: Logger;
  readonly now: () => number;
  readonly breathe: () => Promise<void>;
  /** Eight lower-case letters and digits, random. */
  readonly newId: () => string;
  readonly signal: AbortSignal;
}

/** Seconds for which a held run can be confirmed; then it is found anew, and asked about again. */
const ASKED_FOR = 86_400;

/** What a run came to. */
export interface RunResult {
  readonly run: Run;
  readonly rules: readonly Rule[];
  readonly findings: readonly Finding[];
  readonly doubt: UnknownReason | undefined;
}

/** Runs over communities and members: judges, decides, does it and writes it down. */
export class Runner {
  readonly planner: Planner;
  readonly #executor: Executor;
  readonly #rollCall: RollCall;
  readonly #options: RunnerOptions;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.planner = new Planner(options);
    this.#executor = new Executor({ ...options, planner: this.planner });
    this.#rollCall = new RollCall(options);
  }

  /**
   * One pass over all known members.
   * @returns undefined when there is nothing to do, or another pass is under way
   * @throws RetryableError when the store or the platform can't be asked
   */
  async pass(
    community: Community,
    cause: 'sweep' | 'moderator',
    by?: string,
  ): Promise<RunResult | undefined> {
    const { store } = this.#options;
    const keeper = this.#options.keeperOf(community.platform);
    const rules = await this.activeRules(community);
    if (keeper === undefined || rules.length === 0) return undefined;
    const run = this.newRun(community, cause, by, 'running');
    if (!(await store.beginRun(run))) return undefined;
    try {
      const seen = await this.#rollCall.of(community, keeper, rules);
      const basis = { ...(await this.planner.basis(community, rules)), seen };
      return await this.#follow(run, keeper, basis, this.planner.all(community, basis));
    } catch (error) {
      if (!this.#options.signal.aborted) await this.end(run, 'finished', run.counts);
      throw error;
    }
  }

  /** Looks at one member, at once: they have linked, unlinked, joined or been seen. */
  async member(community: Community, account: string): Promise<RunResult | undefined> {
    const { store, keeperOf } = this.#options;
    const keeper = keeperOf(community.platform);
    const rules = await this.activeRules(community);
    const known = await store.member(community, account);
    if (keeper === undefined || rules.length === 0 || known === undefined) return undefined;
    const basis = await this.planner.basis(community, rules);
    const judged = await this.planner.judge(community, basis, [known]);
    if (judged.findings.every((each) => each.step === undefined)) {
      await store.putGrants(
        community,
        judged.findings.map(({ grant }) => grant),
      );
      return undefined;
    }
    const run = this.newRun(community, 'member', undefined, 'finished');
    await store.beginRun(run);
    async function* one() {
      yield { members: 1, left: [], ...judged };
    }
    return await this.#follow(run, keeper, basis, one());
  }

  async #follow(
    run: Run,
    keeper: GateKeeper,
    basis: Basis,
    pages: ReturnType<Planner['all']>,
  ): Promise<RunResult> {
    const { store, now, onRun, onWarning, signal } = this.#options;
    const { community } = run;
    const findings: Finding[] = [];
    let members = 0;
    let unknown = 0;
    for await (const page of pages) {
      members += page.members;
      unknown += page.unknown;
      for (const account of page.left) await store.forgetMember(community, account);
      await store.putGrants(
        community,
        page.findings.map(({ grant }) => grant),
      );
      findings.push(...page.findings);
      if (signal.aborted) break;
    }
    // What the brake holds already is not asked about again.
    const isAsked = await this.#isAsked(community);
    const changes = findings.flatMap(({ rule, account, step, reason }) =>
      step === 'give' || (step === 'take' && !isAsked)
        ? [{ rule: rule.id, account, step, reason }]
        : [],
    );
    await store.planChanges(
      changes.map((each, number) => ({ ...each, number, run: run.id, status: 'planned' as const })),
    );
    const warnings = findings.filter(({ step }) => step === 'warn');
    for (const finding of warnings) {
      await store.audit([auditOf(run, finding, 'warned', now())]);
      await onWarning(community, finding);
    }
    const takes = changes.filter(({ step }) => step === 'take');
    const isHeld = await this.isTooMany(run, takes);
    const progress: Progress = { given: 0, taken: 0, refused: 0 };
    const steps = isHeld ? (['give'] as const) : (['give', 'take'] as const);
    const planned = changes.length - (isHeld ? takes.length : 0);
    const soFar = { ...NO_COUNTS, members, unknown, warned: warnings.length, planned };
    await this.execute({ ...run, counts: soFar }, keeper, basis.rules, steps, basis, progress);
    const held = isHeld ? takes.length : 0;
    const counts = { ...soFar, held, ...progress };
    // Cut off by the end of the process: the next one goes on with it.
    if (!signal.aborted) await this.end(run, isHeld ? 'held' : 'finished', counts);
    const result = {
      run: { ...run, status: isHeld ? 'held' : run.status, counts } as Run,
      rules: basis.rules,
      findings,
      doubt: basis.doubt,
    };
    await onRun(result);
    return result;
  }

  /** Whether moderators have been asked about a run lately and have not answered. */
  async #isAsked(community: Community): Promise<boolean> {
    const { store, now } = this.#options;
    for (const run of await store.runsOf(community, 20)) {
      if (run.status !== 'held') continue;
      if (run.startedAt > now() - ASKED_FOR) return true;
      await this.end(run, 'finished', run.counts);
    }
    return false;
  }

  /** Whether these would be too many to take unasked; the audit says so then. */
  async isTooMany(run: Run, takes: readonly { readonly rule: string }[]): Promise<boolean> {
    const { store, now } = this.#options;
    const byRule = Map.groupBy(takes, ({ rule }) => rule);
    for (const [rule, taken] of byRule) {
      const holders = await store.countHolders(run.community, rule);
      if (!isTooMany(taken.length, holders)) continue;
      const detail = `${taken.length} of ${holders} would lose it`;
      await store.audit([
        {
          at: now(),
          community: run.community,
          event: 'held',
          run: run.id,
          rule,
          account: undefined,
          by: run.by,
          detail,
        },
      ]);
      return true;
    }
    return isTooMany(takes.length, Number.POSITIVE_INFINITY);
  }

  /** Executes what a run has planned; rules that the platform lets nobody follow are paused. */
  async execute(
    run: Run,
    keeper: GateKeeper,
    rules: readonly Rule[],
    steps: readonly Change['step'][],
    basis: Basis | undefined,
    progress: Progress,
  ): Promise<void> {
    const { store, signal } = this.#options;
    const byId = new Map(rules.map((rule) => [rule.id, rule]));
    const tell = async () => {
      // A single member's run is over before anybody could ask.
      if (run.cause === 'member') return;
      await store.endRun(run.id, 'running', { ...run.counts, ...progress }, 0);
    };
    const stuck = await this.#executor.execute(
      run,
      keeper,
      byId,
      steps,
      basis,
      progress,
      signal,
      tell,
    );
    for (const [id, paused] of stuck) await store.pauseRule(run.community, id, paused);
  }

  async activeRules(community: Community): Promise<readonly Rule[]> {
    const rules = await this.#options.store.rulesOf(community);
    return rules.filter(({ paused }) => paused === undefined);
  }

  newRun(
    community: Community,
    cause: Run['cause'],
    by: string | undefined,
    status: Run['status'],
  ): Run {
    const { newId, now } = this.#options;
    return {
      id: newId(),
      community,
      cause,
      by,
      startedAt: now(),
      finishedAt: undefined,
      status,
      counts: NO_COUNTS,
    };
  }

  async end(run: Run, status: Run['status'], counts: RunCounts): Promise<void> {
    const { store, now } = this.#options;
    await store.endRun(run.id, status, counts, now());
    // Most passes change nothing; they would bury the others.
    const { given, taken, warned, refused, held } = counts;
    const isIdle = given + taken + warned + refused + held === 0;
    if (isIdle && status === 'finished') await store.forgetRun(run.id);
  }
}

function auditOf(run: Run, { rule, account, reason }: Finding, event: 'warned', at: number) {
  return {
    at,
    community: run.community,
    event,
    run: run.id,
    rule: rule.id,
    account,
    by: run.by,
    detail: reason,
  };
}
