import { BusyError } from '#base';
import type { Replica } from '#cluster';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import {
  isSameGrant,
  noGrant,
  observedGrant,
  strongestOf,
  withSharedState,
} from '#gating/decide/grant';
import { NoAnswer } from '#gating/platform';
import type { Community } from '#gating/rules/rule';
import { memberClaim } from '#gating/runs/claims';
import type { ChangeReconciler } from '#gating/runs/reconcile-changes';
import type { GateStore } from '#gating/store';
import type { Bars } from './bars/bars.ts';

export interface MemberObserverOptions {
  readonly store: GateStore;
  readonly reconciler: ChangeReconciler;
  readonly bars: Bars;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly signal: AbortSignal;
}

/**
 * Looks up a member for a moderator, and remembers what it saw: a role that's missing now and
 * present later was granted by someone else.
 */
export class MemberObserver {
  readonly #options: MemberObserverOptions;

  constructor(options: MemberObserverOptions) {
    this.#options = options;
  }

  /**
   * @returns undefined if they aren't a member
   * @throws RetryableError if the platform or the store is unavailable
   */
  async see(
    community: Community,
    adapter: CommunityAdapter,
    account: string,
  ): Promise<Member | undefined> {
    const { reconciler, replica, signal } = this.#options;
    try {
      // A change in progress would look like someone else's.
      return await replica.inTurn(memberClaim(community, account), signal, async () => {
        await reconciler.settleClaimed(community, adapter, account);
        const live = await adapter.member(community.id, account);
        if (live !== undefined) await this.#remember(community, live);
        return live;
      });
    } catch (error) {
      if (!(error instanceof BusyError || error instanceof NoAnswer)) throw error;
      return await adapter.member(community.id, account);
    }
  }

  async #remember(community: Community, live: Member): Promise<void> {
    const { store, bars } = this.#options;
    const account = live.id;
    if ((await store.member(community, account)) === undefined) return;
    const kept = await store.grantsOf(community, [account]);
    const rules = await store.rulesOf(community);
    const changed = [...Map.groupBy(rules, ({ grant }) => grant)].flatMap(([role, ofRole]) => {
      const all = ofRole.map(
        ({ id }) => kept.find(({ rule }) => rule === id) ?? noGrant(id, account),
      );
      const shared = strongestOf(all);
      if (shared === undefined) return [];
      return all.flatMap((each) => {
        const seen = observedGrant(withSharedState(each, shared), live, role);
        return isSameGrant(seen, each) ? [] : [seen];
      });
    });
    for (const [role, ofRole] of Map.groupBy(rules, ({ grant }) => grant)) {
      const ids = new Set(ofRole.map(({ id }) => id));
      const grants = kept.filter(({ rule }) => ids.has(rule));
      await bars.observe(community, grants, live, role);
    }
    if (changed.length > 0) await store.putGrants(community, changed);
  }
}
