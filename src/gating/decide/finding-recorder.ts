import { BusyError } from '#base';
import type { Replica } from '#cluster';
import type { Bars } from '#gating/members/bars/bars';
import { auditRow, type Run } from '#gating/reports/audit';
import type { Community } from '#gating/rules/rule';
import { memberClaim } from '#gating/runs/claims';
import type { Finding } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import { type Grant, isSameGrant, noGrant } from './grant.ts';
import { reasonOf } from './reason.ts';

export interface FindingRecorderOptions {
  readonly store: Pick<GateStore, 'grantsOf' | 'putGrants' | 'audit'>;
  readonly bars: Pick<Bars, 'note'>;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly signal: AbortSignal;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** What became of a warning; `past`: another check or run has changed the grant since the judgement. */
type Warned = 'told' | 'refused' | 'later' | 'past';

/** Stores the grants that readings have led to. */
export class FindingRecorder {
  readonly #options: FindingRecorderOptions;

  constructor(options: FindingRecorderOptions) {
    this.#options = options;
  }

  /** A grant that another check or run changed since the judgement stays as it is. */
  async remember(community: Community, findings: readonly Finding[]): Promise<void> {
    const { store, bars } = this.#options;
    const changed = findings.filter(
      ({ grant, kept, barSign }) => grant !== kept || barSign !== undefined,
    );
    if (changed.length === 0) return;
    const fresh = await this.#stillAsJudged(community, changed);
    await bars.note(
      community,
      fresh.flatMap(({ account, rule, barSign: sign }) =>
        sign === undefined ? [] : [{ account, grant: rule.grant, sign }],
      ),
    );
    const grants = fresh.filter(({ grant, kept }) => grant !== kept).map(({ grant }) => grant);
    if (grants.length > 0) await store.putGrants(community, grants);
  }

  async #stillAsJudged(
    community: Community,
    findings: readonly Finding[],
  ): Promise<readonly Finding[]> {
    const accounts = new Set(findings.map(({ account }) => account));
    const grants = await this.#options.store.grantsOf(community, [...accounts]);
    const current = new Map(grants.map((each) => [keyOf(each), each]));
    return findings.filter(({ grant, kept }) =>
      isSameGrant(kept, current.get(keyOf(grant)) ?? noGrant(grant.rule, grant.account)),
    );
  }

  /**
   * Sends warnings, and records each in the audit log and with the grant. Call it before storing the findings: a
   * member who couldn't be notified isn't warned, their grace period doesn't begin, and the next check tries again.
   * @param notify see `PassesOptions.onWarning`
   * @returns the findings, with only those warnings that were sent
   */
  async warn(
    run: Run,
    findings: readonly Finding[],
    notify: (finding: Finding) => Promise<Exclude<Warned, 'past'>>,
  ): Promise<readonly Finding[]> {
    const ofRole = Map.groupBy(findings, memberOf);
    const outcomes = new Map<Finding, Warned>();
    const later = new Set<string>();
    for (const finding of findings) {
      if (finding.step !== 'warn') continue;
      const outcome = await this.#warnOnce(run, finding, async () => {
        const told = await notify(finding);
        if (told !== 'later') await this.#record(run, finding, ofRole.get(memberOf(finding)) ?? []);
        return told;
      });
      outcomes.set(finding, outcome);
      if (outcome === 'later') later.add(memberOf(finding));
    }
    return findings.map((each) => {
      const outcome = outcomes.get(each);
      if (outcome === 'refused') return { ...each, isUntold: true };
      if (outcome === 'past') return { ...each, step: undefined };
      return later.has(memberOf(each)) ? notWarned(each) : each;
    });
  }

  /** A check of the member and a run may be about to warn them at once: whoever comes second doesn't. */
  async #warnOnce(
    { community }: Run,
    finding: Finding,
    warn: () => Promise<Warned>,
  ): Promise<Warned> {
    const { replica, signal } = this.#options;
    try {
      return await replica.inTurn(memberClaim(community, finding.account), signal, async () => {
        const [fresh] = await this.#stillAsJudged(community, [finding]);
        return fresh === undefined ? 'past' : await warn();
      });
    } catch (error) {
      if (!(error instanceof BusyError)) throw error;
      return 'later';
    }
  }

  async #record({ id, community, by }: Run, finding: Finding, ofRole: readonly Finding[]) {
    const { store, now } = this.#options;
    const { rule, account } = finding;
    const about = { run: id, rule: rule.id, account, by, detail: reasonOf(finding) };
    await store.audit([auditRow(now(), community, 'warned', about)]);
    await this.remember(community, ofRole);
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
