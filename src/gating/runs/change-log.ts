import { BoundedMap } from '#base';
import type { Member } from '#gating/community-adapter';
import {
  afterStep,
  type Grant,
  noGrant,
  observedGrant,
  strongestOf,
  withSharedState,
} from '#gating/decide/grant';
import type { Skip } from '#gating/decide/reason';
import type { MemberBar } from '#gating/members/bars/member-bars';
import { isAdmission } from '#gating/members/entry/invites';
import type { AuditRow, Change, ChangeStatus, Run } from '#gating/reports/audit';
import { isFixableByMember } from '#gating/rules/refusals';
import { type Community, communityKey, type Rule } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';

/** Changes that don't get through. */
const KEPT = 10_000;
const NOT_DONE: Skip = 'not-done';

/**
 * Records the state of changes: the change, its audit row and the grant, in one transaction. While a change
 * doesn't get through, each of its states has one row, however often it's attempted.
 */
export class ChangeLog {
  readonly #store: GateStore;
  readonly #now: () => number;
  /** The states in the audit log of changes that aren't settled. */
  readonly #logged = new BoundedMap<string, ReadonlySet<string>>(KEPT);

  constructor(store: GateStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** @returns false if the change is gone, because its rule was removed or its account erased */
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
    const key = [communityKey(run.community), change.account, change.rule, change.step, row.by];
    // What only the member can mend is tried whenever they write.
    const isToCome = detail === NOT_DONE || isFixableByMember(detail);
    const isOpen = status !== 'done' && (!isLeft || isToCome);
    const before = this.#logged.get(key.join(' ')) ?? new Set();
    const isRepeated = isOpen && before.has(row.event);
    const isThere = await this.#store.markChange(marked, row, run.community, grants, isRepeated);
    if (!isOpen) this.#logged.delete(key.join(' '));
    else if (isThere) this.#logged.set(key.join(' '), new Set([...before, row.event]));
    return isThere;
  }

  /**
   * A member's grants under all rules for the same role.
   * @param known the community's rules, if they were just read
   */
  async remembered(
    community: Community,
    { account, grant: role }: Pick<Change, 'account' | 'grant'>,
    known?: readonly Rule[],
  ): Promise<readonly Grant[]> {
    const kept = await this.#store.grantsOf(community, [account]);
    return ofRole(kept, account, role, known ?? (await this.#store.rulesOf(community)));
  }

  /** The same, with the member's bars. */
  async rememberedWithBars(
    community: Community,
    { account, grant: role }: Pick<Change, 'account' | 'grant'>,
    rules: readonly Rule[],
  ): Promise<{ readonly remembered: readonly Grant[]; readonly bars: readonly MemberBar[] }> {
    const { grants, bars } = await this.#store.recordsOf(community, [account]);
    return { remembered: ofRole(grants, account, role, rules), bars };
  }

  /** The grants to store once a change is done. @param remembered those before it */
  after(
    { step, restores }: Change,
    live: Member | undefined,
    remembered: readonly Grant[],
  ): readonly Grant[] {
    return remembered.map((grant) => {
      const after = afterStep(grant, step, live?.joinedAt);
      if (restores === undefined) return after;
      return {
        ...after,
        ownership: restores,
        joinedAt: restores === 'none' ? undefined : live?.joinedAt,
      };
    });
  }

  /** What is remembered of a change by its own rule, which may be removed. */
  async ofRule(community: Community, { account, rule }: Change): Promise<Grant | undefined> {
    const kept = await this.#store.grantsOf(community, [account]);
    return kept.find((each) => each.rule === rule);
  }

  /** The grant according to what the platform has just said about a member. */
  async seen(
    community: Community,
    change: Change,
    live: Member,
    known?: readonly Rule[],
  ): Promise<readonly Grant[]> {
    const remembered = await this.remembered(community, change, known);
    return remembered.map((grant) => observedGrant(grant, live, change.grant));
  }
}

function ofRole(
  kept: readonly Grant[],
  account: string,
  role: string,
  rules: readonly Rule[],
): readonly Grant[] {
  const all = rules
    .filter(({ grant }) => grant === role)
    .map(({ id }) => kept.find(({ rule }) => rule === id) ?? noGrant(id, account));
  const shared = strongestOf(all);
  return shared === undefined ? [] : all.map((each) => withSharedState(each, shared));
}

const EVENTS = {
  // Reverted: it was begun but not done.
  planned: { give: 'skipped', take: 'skipped' },
  skipped: { give: 'skipped', take: 'skipped' },
  begun: { give: 'give-begun', take: 'take-begun' },
  unknown: { give: 'unknown', take: 'unknown' },
  done: { give: 'given', take: 'taken' },
  refused: { give: 'refused', take: 'refused' },
} as const satisfies Record<ChangeStatus, Record<Change['step'], AuditRow['event']>>;
