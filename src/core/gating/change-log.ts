import { isAdmission } from '#core/gating/admissions';
import type { AuditRow, Change, ChangeStatus, Run } from '#core/gating/audit';
import { afterStep, asSeen, type Grant, noGrant, sharing, strongestOf } from '#core/gating/grant';
import type { Member } from '#core/gating/keeper';
import type { Community } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';

/** Writes down how far changes are: the change, its row of the audit and what is remembered, at once. */
export class ChangeLog {
  readonly #store: GateStore;
  readonly #now: () => number;

  constructor(store: GateStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** @returns false if it is gone, as its rule was removed or its account erased */
  async mark(
    run: Pick<Run, 'community' | 'by' | 'confirmedBy'>,
    change: Change,
    status: ChangeStatus,
    detail: string,
    grants: readonly Grant[] = [],
  ): Promise<boolean> {
    const row: AuditRow = {
      at: this.#now(),
      community: run.community,
      event: status === 'done' && isAdmission(change) ? 'admitted' : EVENTS[status][change.step],
      run: change.run,
      rule: change.rule,
      account: change.account,
      by: run.confirmedBy ?? run.by,
      detail,
    };
    const isLeft = status === 'skipped' || status === 'refused';
    const marked = { ...change, status, reason: isLeft ? detail : change.reason };
    return await this.#store.markChange(marked, row, run.community, grants);
  }

  /** What is remembered of a member under all rules that give the same. */
  async remembered(
    community: Community,
    { account, grant: role }: Pick<Change, 'account' | 'grant'>,
  ): Promise<readonly Grant[]> {
    const kept = await this.#store.grantsOf(community, [account]);
    const rules = (await this.#store.rulesOf(community)).filter(({ grant }) => grant === role);
    const all = rules.map(({ id }) => kept.find(({ rule }) => rule === id) ?? noGrant(id, account));
    const shared = strongestOf(all);
    return shared === undefined ? [] : all.map((each) => sharing(each, shared));
  }

  /** What is to be remembered once a change is done. */
  async after(
    community: Community,
    change: Change,
    live: Member | undefined,
  ): Promise<readonly Grant[]> {
    const { step, restores } = change;
    return (await this.remembered(community, change)).map((grant) => {
      const after = afterStep(grant, step, live?.joinedAt);
      if (restores === undefined) return after;
      return {
        ...after,
        holds: restores,
        joinedAt: restores === 'ours' ? live?.joinedAt : undefined,
      };
    });
  }

  /** What is to be remembered of a member as the platform has just shown them. */
  async seen(community: Community, change: Change, live: Member): Promise<readonly Grant[]> {
    const remembered = await this.remembered(community, change);
    return remembered.map((grant) => asSeen(grant, live, change.grant));
  }
}

const EVENTS = {
  // Taken back: it had been begun, and was not done.
  planned: { give: 'skipped', take: 'skipped' },
  skipped: { give: 'skipped', take: 'skipped' },
  begun: { give: 'give-begun', take: 'take-begun' },
  unknown: { give: 'unknown', take: 'unknown' },
  done: { give: 'given', take: 'taken' },
  refused: { give: 'refused', take: 'refused' },
} as const satisfies Record<ChangeStatus, Record<Change['step'], AuditRow['event']>>;
