import { RetryableError } from '#core/errors';
import { type Change, NO_COUNTS, type Run, type RunCounts } from '#core/gating/audit';
import { isTooMany } from '#core/gating/brake';
import { communityClaim } from '#core/gating/claims';
import { Executor, type Progress } from '#core/gating/executor';
import { type Grant, isSameGrant, noGrant } from '#core/gating/grant';
import type { GateKeeper } from '#core/gating/keeper';
import { type Basis, type Finding, Planner } from '#core/gating/planner';
import { RollCall } from '#core/gating/roll-call';
import type { Community, Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import type { UnknownReason } from '#core/gating/verdict';
import type { Logger } from '#core/logger';
import type { ReputationSource } from '#core/ports';
import type { WalletParser } from '#core/wallet';
import type { Lease, Replica } from '#core/work/replica';

export interface RunnerOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  readonly replica: Pick<Replica, 'during' | 'inTurn'>;
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
/** Seconds after which a look at a member that did not come to its end was cut off. */
const LOOK_TAKES = 120;
/** Runs among which these are looked for. */
const LOOKS_AMONG = 50;

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
   * @returns undefined when there is nothing to do, or another pass is under way, wherever
   * @throws RetryableError when the store or the platform can't be asked
   */
  async pass(
    community: Community,
    cause: 'sweep' | 'moderator',
    by?: string,
  ): Promise<RunResult | undefined> {
    return await this.alone(community, (lease) => this.#pass(community, cause, by, lease));
  }

  /** Nobody else runs over the community meanwhile. @returns undefined if somebody does */
  async alone<T>(community: Community, work: (lease: Lease) => Promise<T>): Promise<T | undefined> {
    const { replica, signal } = this.#options;
    return await replica.during(communityClaim(community), (lease) =>
      work({ ...lease, signal: AbortSignal.any([signal, lease.signal]) }),
    );
  }

  async #pass(
    community: Community,
    cause: 'sweep' | 'moderator',
    by: string | undefined,
    lease: Lease,
  ): Promise<RunResult | undefined> {
    const { store } = this.#options;
    const keeper = this.#options.keeperOf(community.platform);
    const rules = await this.activeRules(community);
    if (keeper === undefined || rules.length === 0) return undefined;
    const run = this.newRun(community, cause, by, 'running');
    if (!(await store.beginRun(run))) return undefined;
    let isPlanned = false;
    try {
      const seen = await this.#rollCall.of(community, keeper, rules);
      const basis = { ...(await this.planner.basis(community, rules)), seen };
      await this.#endLooks(community, keeper, basis, lease);
      const pages = this.planner.all(community, basis);
      return await this.#follow(run, keeper, basis, pages, lease, () => {
        isPlanned = true;
      });
    } catch (error) {
      // What was begun is gone on with, as after a restart.
      const isOpen = lease.signal.aborted || (isPlanned && error instanceof RetryableError);
      if (!isOpen) await this.end(run, 'finished', run.counts);
      throw error;
    }
  }

  /**
   * Goes on with looks at members that the end of a process has cut off: what was given by one must
   * not be taken for somebody else's.
   */
  async #endLooks(
    community: Community,
    keeper: GateKeeper,
    basis: Basis,
    lease: Lease,
  ): Promise<void> {
    const { store, now } = this.#options;
    for (const run of await store.runsOf(community, LOOKS_AMONG)) {
      const isOpen = run.cause === 'member' && run.finishedAt === undefined;
      if (!isOpen || run.startedAt > now() - LOOK_TAKES) continue;
      const progress: Progress = { given: 0, taken: 0, refused: 0 };
      const steps = ['give', 'take'] as const;
      await this.execute(run, keeper, basis.rules, steps, basis, progress, lease);
      if (lease.signal.aborted) return;
      await this.end(run, 'finished', { ...run.counts, ...progress });
    }
  }

  /** Looks at one member, at once: they have linked, unlinked, joined or been seen. */
  async member(community: Community, account: string): Promise<RunResult | undefined> {
    const { store, keeperOf, signal } = this.#options;
    const keeper = keeperOf(community.platform);
    const rules = await this.activeRules(community);
    const known = await store.member(community, account);
    if (keeper === undefined || rules.length === 0 || known === undefined) return undefined;
    const basis = await this.planner.basis(community, rules);
    const judged = await this.planner.judge(community, basis, [known]);
    if (judged.findings.every((each) => each.step === undefined)) {
      await this.#remember(community, judged.findings);
      return undefined;
    }
    const run = this.newRun(community, 'member', undefined, 'finished');
    await store.beginRun(run);
    async function* one() {
      yield { members: 1, left: [], ...judged };
    }
    const lease = { signal, isHeld: async () => true };
    return await this.#follow(run, keeper, basis, one(), lease, () => {});
  }

  async #follow(
    run: Run,
    keeper: GateKeeper,
    basis: Basis,
    pages: ReturnType<Planner['all']>,
    lease: Lease,
    onPlanned: () => void,
  ): Promise<RunResult> {
    const { store, now, onRun, onWarning } = this.#options;
    const { signal } = lease;
    const { community } = run;
    const findings: Finding[] = [];
    let members = 0;
    let unknown = 0;
    for await (const page of pages) {
      members += page.members;
      unknown += page.unknown;
      for (const account of page.left) await store.forgetMember(community, account);
      await this.#remember(community, page.findings);
      findings.push(...page.findings);
      if (signal.aborted) break;
    }
    if (!(await lease.isHeld())) throw new RetryableError('Another replica goes on with this run.');
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
    onPlanned();
    const progress: Progress = { given: 0, taken: 0, refused: 0 };
    const steps = isHeld ? (['give'] as const) : (['give', 'take'] as const);
    const planned = changes.length - (isHeld ? takes.length : 0);
    const soFar = { ...NO_COUNTS, members, unknown, warned: warnings.length, planned };
    const begun = { ...run, counts: soFar };
    await this.execute(begun, keeper, basis.rules, steps, basis, progress, lease);
    const held = isHeld ? takes.length : 0;
    const counts = { ...soFar, held, ...progress };
    // Cut off by the end of the process, or as another has it now: that one goes on with it.
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

  /** What another look or run has changed since it was judged by stays as that one has left it. */
  async #remember(community: Community, findings: readonly Finding[]): Promise<void> {
    const { store } = this.#options;
    const changed = findings.filter(({ grant, kept }) => grant !== kept);
    if (changed.length === 0) return;
    const accounts = new Set(changed.map(({ account }) => account));
    const current = new Map(
      (await store.grantsOf(community, [...accounts])).map((each) => [keyOf(each), each]),
    );
    const fresh = changed.filter(({ grant, kept }) =>
      isSameGrant(kept, current.get(keyOf(grant)) ?? noGrant(grant.rule, grant.account)),
    );
    await store.putGrants(
      community,
      fresh.map(({ grant }) => grant),
    );
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
    lease: Lease,
  ): Promise<void> {
    const { store } = this.#options;
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
      lease,
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

function keyOf({ rule, account }: Grant): string {
  return `${rule} ${account}`;
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
