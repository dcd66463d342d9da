import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { NoAnswer } from '#gating/platform';
import { awaitsConfirmation } from '#gating/reports/audit';
import type { RunResult } from '#gating/result';
import type { Community } from '#gating/rules/rule';
import { type PassesOptions, stepsOf } from '#gating/runs/passes';
import { shownDoubt } from '#gating/runs/planner';
import type { KnownMember } from '#gating/store';
import type { HandChanges } from './bars/hand-changes.ts';
import type { Admissions } from './entry/invites.ts';

export type MemberChecksOptions = Pick<
  PassesOptions,
  'store' | 'runs' | 'planner' | 'executor' | 'reconciler' | 'recorder' | 'onRun' | 'onWarning'
> & {
  readonly admissions: Admissions;
  readonly hands: Pick<HandChanges, 'upToDate' | 'upToDateSince'>;
};

/**
 * Checks one member at once, after they asked to join, linked, unlinked, joined or were seen. A
 * check grants immediately but never removes, except for a role that a higher one replaces: removals
 * wait for a pass, where the removal limit counts them together.
 */
export class MemberChecks {
  readonly #options: MemberChecksOptions;

  constructor(options: MemberChecksOptions) {
    this.#options = options;
  }

  /**
   * @returns undefined if there was nothing to do
   * @throws RetryableError if the store or the platform is unavailable; the check is to be repeated, and
   *   `GateStore.leftChecks` has it until then
   */
  async check(community: Community, account: string): Promise<RunResult | undefined> {
    const { store, runs, planner, executor, reconciler, recorder } = this.#options;
    const { onRun, onWarning } = this.#options;
    const adapter = runs.adapterOf(community);
    const { signal } = runs.unclaimed;
    if (adapter === undefined || !(await this.#isOurs(community, account))) return undefined;
    await this.#options.hands.upToDate(community);
    const left = await reconciler.settle(community, adapter, signal, { account });
    if (left.size > 0) throw unanswered();
    await this.abandon(community, account);
    const basis = await planner.basis(community);
    if (basis.rules.length === 0) return undefined;
    const found = await this.#find(community, adapter, account);
    if (found === undefined) return undefined;
    const { known, live } = found;
    if (live !== undefined) await this.#options.hands.upToDateSince(community, live);
    const seen = live && new Map([[account, live]]);
    const evaluated = await planner.evaluate(community, { ...basis, seen }, [known]);
    const steps = stepsOf(evaluated.findings, basis.allRules).filter(
      (each) => !awaitsConfirmation(each),
    );
    if (steps.length === 0 && evaluated.findings.every(({ step }) => step !== 'warn')) {
      await recorder.remember(community, evaluated.findings);
      return undefined;
    }
    const run = await runs.begin(community, 'member', undefined, runs.unclaimed);
    if (run === undefined) return undefined;
    run.basis = basis;
    await store.planChanges(
      steps.map((step, number) => ({ ...step, number, run: run.id, status: 'planned' as const })),
    );
    const findings = await recorder.warn(run.record, evaluated.findings, (finding) =>
      onWarning(community, finding),
    );
    await recorder.remember(community, findings);
    const warned = findings.filter(({ step }) => step === 'warn');
    // If a member couldn't be notified, they're checked again; nothing has happened yet.
    if (steps.length + warned.length === 0) {
      await run.close('made');
      return undefined;
    }
    await run.saveProgress({ members: 1, warned: warned.length, planned: steps.length });
    await executor.execute(run);
    const changes = await store.changesOf(run.id, undefined, -1, Number.MAX_SAFE_INTEGER);
    const result = {
      run: await run.close('made', undefined, changes),
      rules: basis.allRules,
      changes,
      warned,
      doubt: shownDoubt(basis),
      shows: undefined,
      problems: [],
    };
    await onRun(result);
    const isLeft = result.changes.some(({ status }) => status === 'planned');
    if (isLeft || result.run.counts.unsettled > 0) throw unanswered();
    return result;
  }

  /** Leaves to the next pass what checks of a member couldn't change. */
  async abandon(community: Community, account: string): Promise<void> {
    await this.#options.store.skipChecks(community, account, 'no-answer');
  }

  /**
   * Whether they're known here or have requested to join. Anyone else's membership is none of our
   * business.
   */
  async #isOurs(community: Community, account: string): Promise<boolean> {
    const { store, admissions } = this.#options;
    if ((await store.member(community, account)) !== undefined) return true;
    return await admissions.isAsking(community, account);
  }

  /**
   * The member, as the platform reports them now.
   * @throws NoAnswer once for an applicant who counted as a member until now
   */
  async #find(
    community: Community,
    adapter: CommunityAdapter,
    account: string,
  ): Promise<{ readonly known: KnownMember; readonly live: Member | undefined } | undefined> {
    const { store, admissions } = this.#options;
    const live = await adapter.member(community.id, account);
    if (live === undefined) {
      const wasThere = (await store.member(community, account)) !== undefined;
      await store.forgetMember(community, account);
      const applicant = await store.applicant(community, account);
      // Their request may have overtaken the report of how they went: somebody may have removed them.
      if (wasThere && applicant !== undefined) throw unanswered();
      return applicant && { known: applicant, live };
    }
    // Someone else has admitted them.
    if (await admissions.isAsking(community, account)) {
      await admissions.entered(community, account, false);
    }
    const known = await store.member(community, account);
    return known && { known, live };
  }
}

function unanswered(): NoAnswer {
  return new NoAnswer('The platform gave no answer about a member.');
}
