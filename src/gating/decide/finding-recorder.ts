import type { Bars } from '#gating/members/bars/bars';
import { auditRow, type Run } from '#gating/reports/audit';
import type { Community } from '#gating/rules/rule';
import type { Finding } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import { type Grant, isSameGrant, noGrant } from './grant.ts';
import { reasonOf } from './reason.ts';

/** Stores the grants that readings have led to. */
export class FindingRecorder {
  readonly #store: GateStore;
  readonly #now: () => number;

  readonly #bars: Bars;

  constructor(store: GateStore, bars: Bars, now: () => number) {
    this.#store = store;
    this.#bars = bars;
    this.#now = now;
  }

  /** A grant that another check or run changed since the judgement stays as it is. */
  async remember(community: Community, findings: readonly Finding[]): Promise<void> {
    const changed = findings.filter(
      ({ grant, kept, barSign }) => grant !== kept || barSign !== undefined,
    );
    if (changed.length === 0) return;
    const accounts = new Set(changed.map(({ account }) => account));
    const current = new Map(
      (await this.#store.grantsOf(community, [...accounts])).map((each) => [keyOf(each), each]),
    );
    const fresh = changed.filter(({ grant, kept }) =>
      isSameGrant(kept, current.get(keyOf(grant)) ?? noGrant(grant.rule, grant.account)),
    );
    await this.#bars.note(
      community,
      fresh.flatMap(({ account, rule, barSign: sign }) =>
        sign === undefined ? [] : [{ account, grant: rule.grant, sign }],
      ),
    );
    const grants = fresh.filter(({ grant, kept }) => grant !== kept).map(({ grant }) => grant);
    if (grants.length > 0) await this.#store.putGrants(community, grants);
  }

  /**
   * Sends warnings and records each in the audit log. Call it before storing the findings: a member
   * who couldn't be notified isn't warned, their grace period doesn't begin, and the next check
   * tries again.
   * @param tell see `PassesOptions.onWarning`
   * @returns the findings, with only those warnings that were sent
   */
  async warn(
    { id, community, by }: Run,
    findings: readonly Finding[],
    tell: (finding: Finding) => Promise<'told' | 'refused' | 'later'>,
  ): Promise<readonly Finding[]> {
    const later = new Set<string>();
    const refused = new Set<Finding>();
    for (const finding of findings) {
      if (finding.step !== 'warn') continue;
      const { rule, account } = finding;
      const outcome = await tell(finding);
      if (outcome === 'later') later.add(memberOf(finding));
      else {
        if (outcome === 'refused') refused.add(finding);
        await this.#store.audit([
          auditRow(this.#now(), community, 'warned', {
            run: id,
            rule: rule.id,
            account,
            by,
            detail: reasonOf(finding),
          }),
        ]);
      }
    }
    return findings.map((each) => {
      if (refused.has(each)) return { ...each, isUntold: true };
      return later.has(memberOf(each)) ? notWarned(each) : each;
    });
  }
}

/** Rules for the same role warn together. */
function memberOf({ rule, account }: Finding): string {
  return `${rule.grant} ${account}`;
}

function notWarned(finding: Finding): Finding {
  if (finding.kept.warnedAt !== undefined) return finding;
  const grant = { ...finding.grant, warnedAt: undefined, dueAt: finding.kept.dueAt };
  return { ...finding, grant, step: undefined };
}

function keyOf({ rule, account }: Grant): string {
  return `${rule} ${account}`;
}
