import type { Run } from '#core/gating/audit';
import { type Grant, isSameGrant, noGrant } from '#core/gating/grant';
import type { Finding } from '#core/gating/planner';
import type { Community } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';

/** Remembers what readings have led to. */
export class Memory {
  readonly #store: GateStore;
  readonly #now: () => number;

  constructor(store: GateStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** What another look or run has changed since it was judged by stays as that one has left it. */
  async remember(community: Community, findings: readonly Finding[]): Promise<void> {
    const changed = findings.filter(({ grant, kept }) => grant !== kept);
    if (changed.length === 0) return;
    const accounts = new Set(changed.map(({ account }) => account));
    const current = new Map(
      (await this.#store.grantsOf(community, [...accounts])).map((each) => [keyOf(each), each]),
    );
    const fresh = changed.filter(({ grant, kept }) =>
      isSameGrant(kept, current.get(keyOf(grant)) ?? noGrant(grant.rule, grant.account)),
    );
    await this.#store.putGrants(
      community,
      fresh.map(({ grant }) => grant),
    );
  }

  /** Adds to the audit that a member was warned. */
  async noteWarning({ id, community, by }: Run, { rule, account, reason }: Finding): Promise<void> {
    const about = { run: id, rule: rule.id, account, by, detail: reason };
    await this.#store.audit([{ at: this.#now(), community, event: 'warned', ...about }]);
  }
}

function keyOf({ rule, account }: Grant): string {
  return `${rule} ${account}`;
}
