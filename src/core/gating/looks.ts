import type { PassesOptions } from '#core/gating/passes';
import type { RunResult } from '#core/gating/result';
import type { Community } from '#core/gating/rule';

export type MemberLooksOptions = Pick<
  PassesOptions,
  'store' | 'book' | 'planner' | 'executor' | 'settler' | 'memory' | 'onRun' | 'onWarning'
>;

/**
 * Looks at one member, at once: they have linked, unlinked, joined or been seen. A look gives at once and
 * never takes: what is to be taken is left to a pass, where the brake counts all of it together.
 */
export class MemberLooks {
  readonly #options: MemberLooksOptions;

  constructor(options: MemberLooksOptions) {
    this.#options = options;
  }

  /**
   * @returns undefined when there was nothing to do
   * @throws RetryableError when the store or the platform can't be asked
   */
  async look(community: Community, account: string): Promise<RunResult | undefined> {
    const { store, book, planner, executor, settler, memory, onRun, onWarning } = this.#options;
    const keeper = book.keeperOf(community);
    const known = await store.member(community, account);
    const { signal } = book.unclaimed;
    const basis = await planner.basis(community);
    if (keeper === undefined || known === undefined || basis.rules.length === 0) return undefined;
    const left = await settler.settle(community, keeper, signal, { account });
    if (left.size > 0) return undefined;
    const live = await keeper.member(community.id, account);
    if (live === undefined) {
      await store.forgetMember(community, account);
      return undefined;
    }
    const seen = new Map([[account, live]]);
    const { findings } = await planner.judge(community, { ...basis, seen }, [known]);
    await memory.remember(community, findings);
    const gives = findings.filter(({ step }) => step === 'give');
    const warnings = findings.filter(({ step }) => step === 'warn');
    if (gives.length + warnings.length === 0) return undefined;
    const run = await book.begin(community, 'member', undefined, book.unclaimed);
    if (run === undefined) return undefined;
    run.basis = basis;
    await store.planChanges(
      gives.map(({ rule, reason }, number) => {
        const about = { rule: rule.id, grant: rule.grant, account, reason };
        return { ...about, number, run: run.id, step: 'give', status: 'planned' };
      }),
    );
    for (const finding of warnings) {
      await memory.noteWarning(run.record, finding);
      await onWarning(community, finding);
    }
    await run.saveProgress({ members: 1, warned: warnings.length, planned: gives.length });
    await executor.execute(run, ['give']);
    const result = {
      run: await run.close('made'),
      rules: basis.allRules,
      changes: await store.changesOf(run.id, undefined, -1, Number.MAX_SAFE_INTEGER),
      findings,
      doubt: basis.doubt,
      troubles: [],
    };
    await onRun(result);
    return result;
  }
}
