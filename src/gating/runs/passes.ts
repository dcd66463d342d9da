import { RetryableError, UserError } from '#base';
import type { Lease } from '#cluster';
import type { FindingRecorder } from '#gating/decide/finding-recorder';
import { keptReason, reasonOf } from '#gating/decide/reason';
import { checkRemovalLimit, holdersNow } from '#gating/decide/removal-limit';
import type { SourceDoubts } from '#gating/decide/source-doubts';
import type { HandChanges } from '#gating/members/bars/hand-changes';
import { askPlatform, NoAnswer } from '#gating/platform';
import {
  auditRow,
  awaitsConfirmation,
  type Change,
  canBeConfirmed,
  isLoss,
  type RunCounts,
} from '#gating/reports/audit';
import type { RunResult } from '#gating/result';
import { type Community, isEntry, type Rule } from '#gating/rules/rule';
import type { RuleBlockers } from '#gating/rules/rule-blockers';
import type { GateStore, RulesAndSettings } from '#gating/store';
import type { Executor } from './executor.ts';
import type { MemberScan } from './member-scan.ts';
import {
  type Finding,
  isActive,
  isGrave,
  type PassCriteria,
  type Planner,
  shownDoubt,
} from './planner.ts';
import type { ChangeReconciler } from './reconcile-changes.ts';
import { type ActiveRun, isConcluded } from './run.ts';
import type { RunRegistry } from './run-registry.ts';

export interface PassesOptions {
  readonly store: GateStore;
  readonly runs: RunRegistry;
  readonly planner: Planner;
  readonly executor: Executor;
  readonly reconciler: ChangeReconciler;
  readonly memberScan: MemberScan;
  readonly recorder: FindingRecorder;
  readonly blockers: RuleBlockers;
  readonly doubts: SourceDoubts;
  readonly hands: Pick<HandChanges, 'refresh' | 'upToDate'>;
  /** Called with what a run did; may post to the moderators. */
  readonly onRun: (result: RunResult) => Promise<void>;
  /**
   * A member's grace period is about to begin; they're notified if possible.
   * @returns `refused`: they accept no messages; `later`: the warning has to wait, and with it the
   *   grace period
   */
  readonly onWarning: (
    community: Community,
    finding: Finding,
  ) => Promise<'told' | 'refused' | 'later'>;
  /** Seconds since 1970. */
  readonly now: () => number;
  /** The date that was so many seconds ago. */
  readonly ago: (seconds: number) => number;
}

/** A member missing from two lists this many seconds apart has left. */
const MISSED_FOR = 3_600;

/** What a finding leads to. */
type Step = Pick<Change, 'rule' | 'account' | 'grant' | 'step' | 'reason' | 'ladder'>;

interface Planned {
  readonly basis: PassCriteria;
  readonly warned: readonly Finding[];
  readonly counts: Partial<RunCounts>;
  /** As they are stored. */
  readonly changes: readonly Change[];
}

/**
 * Passes over all members of a community: who they are, what changes, whether it's too much, and
 * making the changes.
 */
export class Passes {
  readonly #options: PassesOptions;

  constructor(options: PassesOptions) {
    this.#options = options;
  }

  /**
   * One pass over all members.
   * @returns undefined if there is nothing to do, or another run is active in any process
   * @throws RetryableError if the store or the platform is unavailable
   */
  async pass(
    community: Community,
    cause: 'sweep' | 'moderator',
    by: string | undefined,
  ): Promise<RunResult | undefined> {
    const { runs } = this.#options;
    return await runs.alone(community, (lease) => this.#pass(community, cause, by, lease));
  }

  async #pass(
    community: Community,
    cause: 'sweep' | 'moderator',
    by: string | undefined,
    lease: Lease,
  ): Promise<RunResult | undefined> {
    const { store, runs, hands, blockers } = this.#options;
    const isAsked = cause === 'moderator';
    // A group doesn't refuse rule by rule: without its permission the bot can do nothing there.
    const read = await store.rulesAndSettingsOf(community);
    const before = read.rules;
    if (before.some(isActive)) await hands.refresh(community);
    const isLookedAt = isAsked || before.some(isEntry);
    const all = isLookedAt
      ? await blockers.lookAt(community, before, by)
      : await blockers.pause(community, before);
    // What prevented rules before isn't reported again with each pass.
    const found = isAsked ? all : all.filter(({ rule }) => isActive(rule));
    // A look may also have resumed some.
    const rules = isLookedAt || all.length > 0 ? await store.rulesOf(community) : before;
    if (!rules.some(isActive) && found.length === 0) return undefined;
    const run = await runs.begin(community, cause, by, lease);
    return run && (await this.carryOut(run, found, { ...read, rules }));
  }

  /**
   * Begins a run, or resumes one from wherever it was interrupted.
   * @param read the community's, if they were just read
   */
  async carryOut(
    run: ActiveRun,
    problems: RunResult['problems'] = [],
    read?: RulesAndSettings,
  ): Promise<RunResult> {
    const { planner, store, executor, doubts, blockers, onRun } = this.#options;
    const { community } = run;
    // A plan is stored as a whole.
    const before = run.isResumed ? await this.#changesOf(run) : [];
    const planned =
      before.length > 0
        ? { basis: await planner.basis(community), warned: [], counts: {}, changes: before }
        : await this.#plan(run, read ?? (await store.rulesAndSettingsOf(community)));
    run.basis = planned.basis;
    const all = planned.changes;
    const heldCount = await this.#checkRemovalLimit(run, planned.basis.allRules, all);
    const held = heldCount ?? 0;
    const isHeld = held > 0;
    await run.saveProgress({ ...planned.counts, planned: all.length - held, held }, all);
    if (heldCount === undefined) run.isWaiting = true;
    else if (all.length > 0) {
      const isDue = (each: Change) => !isHeld || !awaitsConfirmation(each);
      await executor.execute(run, isDue, run.isResumed ? undefined : all);
    }
    const made = all.length > 0 ? await this.#changesOf(run) : all;
    const closed = await run.close(isHeld ? 'held' : 'made', undefined, made);
    // Rules that the platform refuses are paused by then.
    const isRefused = made.some(({ status }) => status === 'refused');
    const since = isRefused ? await blockers.since(community, planned.basis) : [];
    const result = {
      run: closed,
      rules: planned.basis.allRules,
      // Closing skips what is left.
      changes: made.every(isConcluded) ? made : await this.#changesOf(run),
      warned: planned.warned,
      doubt: shownDoubt(planned.basis),
      // What is plausible leaves nothing to ask.
      shows: planned.basis.plausible ? undefined : await doubts.untold(community),
      problems: [...problems, ...since],
    };
    // Don't report the end before it's reached.
    if (result.run.status !== 'running') await onRun(result);
    return result;
  }

  /** Finds the members and what changes for each, and stores that as the plan. */
  async #plan(run: ActiveRun, by: RulesAndSettings): Promise<Planned> {
    const { planner, memberScan, reconciler, recorder, onWarning, now } = this.#options;
    const { community, adapter, lease } = run;
    try {
      const unsettled = await reconciler.settle(community, adapter, lease.signal);
      const seen = await memberScan.of(community, adapter, by, async (looked, toLook) => {
        await run.saveProgress({ looked, toLook }, []);
        return await run.mayGoOn();
      });
      if (seen !== undefined) run.roster = { seen, at: now() };
      const isAsked = run.record.cause === 'moderator';
      const basis = { ...(await planner.basis(community)), seen, unsettled, isAsked };
      await this.#options.doubts.note(community, basis);
      // Findings may be many; keep only what follows from them.
      const steps: Step[] = [];
      const warned: Finding[] = [];
      let members = 0;
      let unknown = 0;
      let isWhole = true;
      for await (const page of planner.all(community, basis)) {
        isWhole = await run.mayGoOn();
        if (!isWhole) break;
        await this.#forgetLeft(community, page.missing);
        const evaluated = await this.#lookTwice(run, basis, page);
        members += page.members;
        unknown += evaluated.unknown;
        const told = await recorder.warn(run.record, evaluated.findings, (finding) =>
          onWarning(community, finding),
        );
        await recorder.remember(community, told);
        steps.push(...stepsOf(told, basis.allRules));
        warned.push(...told.filter(({ step }) => step === 'warn'));
      }
      for await (const page of planner.applicants(community, basis)) {
        isWhole &&= await run.mayGoOn();
        if (!isWhole) break;
        unknown += page.unknown;
        steps.push(...stepsOf(page.findings, basis.allRules));
      }
      if (await run.isCutOff()) throw new RetryableError('This run is gone on with later.');
      const isSure = isWhole && unknown === 0 && basis.doubt === undefined;
      const changes = await this.#writeDown(run, steps, isSure);
      return { basis, warned, counts: { members, unknown, warned: warned.length }, changes };
    } catch (error) {
      // Nothing was planned, so nothing is lost: the next pass starts over.
      if (!(await run.isCutOff().catch(() => true))) await run.close('made');
      throw error;
    }
  }

  /**
   * One list may lack a member who joined during the fetch, or most members through a fault.
   * Someone missing has left once a later list lacks them too.
   */
  async #forgetLeft(community: Community, missing: readonly string[]): Promise<void> {
    if (missing.length === 0) return;
    const { store, now } = this.#options;
    const left = await store.missMembers(community, missing, now(), now() - MISSED_FOR);
    for (const account of left) await store.forgetMember(community, account);
  }

  /**
   * Asks the platform about those who would be warned or lose something: managers, and those who no
   * longer have it, aren't even warned. Also about members whose grant is missing from the list, as
   * it may be newer than the list. If the platform doesn't answer about someone, nothing follows
   * for them now.
   */
  async #lookTwice(
    { community, adapter }: ActiveRun,
    basis: PassCriteria,
    page: { readonly findings: readonly Finding[]; readonly unknown: number },
  ): Promise<{ readonly findings: readonly Finding[]; readonly unknown: number }> {
    const { store, planner } = this.#options;
    const accounts = new Set(page.findings.filter(isGrave).map(({ account }) => account));
    const findings = page.findings.filter(({ account }) => !accounts.has(account));
    let { unknown } = page;
    for (const account of accounts) {
      const known = await store.member(community, account);
      try {
        const live = await askPlatform(() => adapter.member(community.id, account, true));
        if (live === undefined) await store.forgetMember(community, account);
        else if (known !== undefined) {
          const seen = new Map([[account, live]]);
          const evaluated = await planner.evaluate(community, { ...basis, seen }, [known]);
          findings.push(...evaluated.findings);
        }
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        unknown += 1;
      }
    }
    return { findings, unknown };
  }

  /**
   * Stores the plan.
   * @param isSure whether all members could be judged
   */
  async #writeDown(
    run: ActiveRun,
    steps: readonly Step[],
    isSure: boolean,
  ): Promise<readonly Change[]> {
    const { store, now } = this.#options;
    // Don't ask again about what the removal limit already holds.
    const held = await store.heldRuns(run.community);
    const isAsked = held[0] !== undefined && canBeConfirmed(held[0], now());
    const changes = steps
      .filter((each) => !isAsked || !awaitsConfirmation(each))
      .map((each, number) => ({ ...each, number, run: run.id, status: 'planned' as const }));
    if (changes.length > 0) await store.planChanges(changes);
    // A question ends when this run replaces it, or when nobody is below the bar any more.
    const isBelow = steps.some(isLoss);
    if (isBelow ? isAsked : !isSure) return changes;
    for (const { id, counts } of held) await store.endRun(id, 'finished', counts, now());
    return changes;
  }

  /**
   * @returns how many removals the limit holds, as recorded in the audit log; undefined if that
   *   can't be decided, as the platform is unavailable or the run must stop
   */
  async #checkRemovalLimit(
    run: ActiveRun,
    rules: readonly Rule[],
    changes: readonly Change[],
  ): Promise<number | undefined> {
    const { store, now, ago } = this.#options;
    const { community, id, record } = run;
    if (record.confirmedBy !== undefined) return 0;
    const left = changes.filter(
      (change) => isLoss(change) && (change.status === 'planned' || change.status === 'begun'),
    );
    const checking = checkRemovalLimit(store, community, rules, left, holdersNow(store, run), ago);
    const tooMuch = await checking.catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      return 'away' as const;
    });
    if (tooMuch === 'away') return undefined;
    if (tooMuch === undefined) return 0;
    const { grant, taken, holders } = tooMuch;
    const rule = rules.find((each) => each.grant === grant)?.id;
    const detail = keptReason({ code: 'too-many', taken, holders });
    await store.audit([
      auditRow(now(), community, 'held', { run: id, rule, by: record.by, detail }),
    ]);
    return left.length;
  }

  async #changesOf({ id }: ActiveRun): Promise<readonly Change[]> {
    return await this.#options.store.changesOf(id, undefined, -1, Number.MAX_SAFE_INTEGER);
  }

  /**
   * Makes the held removals, as far as they still apply, once no other run is active.
   * @returns undefined if it no longer waits for an answer
   * @throws UserError `gate-expired` a day after it was asked
   * @throws RetryableError if another run waits for the platform
   */
  async confirm(community: Community, id: string, by: string): Promise<RunResult | undefined> {
    const { store, runs, now } = this.#options;
    return await runs.whenFree(community, async (lease) => {
      const held = await store.run(id);
      if (held?.status !== 'held') return undefined;
      if (!canBeConfirmed(held, now())) {
        // For good, even if a clock is set back.
        await store.endRun(id, 'finished', held.counts, now());
        throw new UserError('gate-expired', 'This question is more than 24 hours old.');
      }
      if (!(await store.confirmRun(id, by))) throw new RetryableError('Another run is under way.');
      await store.audit([auditRow(now(), community, 'confirmed', { run: id, by })]);
      const record = await store.run(id);
      const run = record && runs.resume(record, lease);
      return run && (await this.carryOut(run));
    });
  }
}

/**
 * Member by member: what replaces a role comes before that role goes.
 * @param rules all of the community
 */
export function stepsOf(findings: readonly Finding[], rules: readonly Rule[]): Step[] {
  const byMember = Map.groupBy(findings, ({ account }) => account);
  return [...byMember.values()].flatMap((ofMember) =>
    ofMember
      .flatMap((finding) => {
        const { rule, account, step, ladder } = finding;
        if (step !== 'give' && step !== 'take') return [];
        const reason = changeReason(finding, rules);
        return [{ rule: rule.id, account, grant: rule.grant, step, reason, ladder }];
      })
      .toSorted((a, b) => Number(a.step === 'take') - Number(b.step === 'take')),
  );
}

/** Who rises doesn't lose a role for want of points. They may have the higher one already. */
function changeReason(finding: Finding, rules: readonly Rule[]): string {
  const { step, ladder } = finding;
  if (step !== 'take' || ladder?.way !== 'up') return reasonOf(finding);
  const other = rules.find(({ grant }) => grant === ladder.other);
  return keptReason({ code: 'risen', name: other?.grantName ?? '' });
}
