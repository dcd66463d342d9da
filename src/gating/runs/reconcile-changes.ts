import { BusyError } from '#base';
import type { Replica } from '#cluster';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { type Admissions, isAdmission } from '#gating/members/entry/invites';
import { askPlatform, NoAnswer } from '#gating/platform';
import type { Change, Run } from '#gating/reports/audit';
import { type Community, ENTRY } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import type { ChangeLog } from './change-log.ts';
import { memberClaim } from './claims.ts';

export interface ReconcilerOptions {
  readonly store: GateStore;
  readonly changes: ChangeLog;
  readonly admissions: Admissions;
  readonly replica: Pick<Replica, 'inTurn'>;
}

/**
 * Settles changes whose response was lost, by asking the platform what's true. Until then, nothing
 * seen of those members counts: our own change would pass for someone else's.
 */
export class ChangeReconciler {
  readonly #options: ReconcilerOptions;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /**
   * Settles what's left in a community.
   * @param among only of one run or one member
   * @returns members whose state can't be found out now
   */
  async settle(
    community: Community,
    adapter: CommunityAdapter,
    signal: AbortSignal,
    among: { readonly run?: string; readonly account?: string } = {},
  ): Promise<ReadonlySet<string>> {
    const { store, replica } = this.#options;
    const left = new Set<string>();
    const unsettled = (await store.unsettledOf(community, among.account)).filter(
      ({ run }) => among.run === undefined || run === among.run,
    );
    for (const each of new Set(unsettled.map((change) => change.account))) {
      if (signal.aborted) left.add(each);
      else {
        try {
          // A process that works on one of them holds this claim.
          await replica.inTurn(memberClaim(community, each), signal, () =>
            this.settleClaimed(community, adapter, each, among.run),
          );
        } catch (error) {
          if (!(error instanceof NoAnswer || error instanceof BusyError)) throw error;
          left.add(each);
        }
      }
    }
    return left;
  }

  /**
   * Like `settle`, for callers who hold the member's claim.
   * @param own the caller's run: what it hasn't made, it makes
   * @throws NoAnswer
   */
  async settleClaimed(
    community: Community,
    adapter: CommunityAdapter,
    account: string,
    own?: string,
  ): Promise<void> {
    const { store } = this.#options;
    const unsettled = await store.unsettledOf(community, account);
    if (unsettled.length === 0) return;
    const live = await askPlatform(() => adapter.member(community.id, account, true));
    for (const change of unsettled) {
      const run = await store.run(change.run);
      if (run !== undefined) await this.#settleOne(run, adapter, change, live, own === run.id);
    }
  }

  async #settleOne(
    run: Run,
    adapter: CommunityAdapter,
    change: Change,
    live: Member | undefined,
    isOwn: boolean,
  ): Promise<void> {
    const { store, changes, admissions } = this.#options;
    const { community } = run;
    const { step, account, grant, reason } = change;
    const has = live?.grants.includes(grant) === true;
    if (step === 'take' && grant === ENTRY && !has) {
      // A removal has two halves, of which the second may be missing.
      await askPlatform(async () => await adapter.finishTake?.(community.id, account));
    } else if (live === undefined && !isAdmission(change)) {
      await changes.mark(run, change, 'skipped', 'left');
      await store.forgetMember(community, account);
      return;
    }
    if (has === (step === 'give')) {
      const remembered = await changes.remembered(community, change);
      await changes.mark(run, change, 'done', reason, changes.after(change, live, remembered));
      if (isAdmission(change)) await admissions.entered(community, account, true);
      return;
    }
    // A check of one member is never `running`: nobody but its own process goes on with it.
    const isUnderWay = run.status === 'running' || (isOwn && run.cause === 'member');
    const goesOn = isUnderWay && run.stoppedBy === undefined;
    await changes.mark(run, change, goesOn ? 'planned' : 'skipped', 'not-done');
  }
}
