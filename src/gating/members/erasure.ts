import type { Replica } from '#cluster';
import type { Account } from '#command';
import type { Texts } from '#command/texts';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { keptReason, platformReason, type Skip } from '#gating/decide/reason';
import { UnreachableCommunity } from '#gating/platform';
import { type AuditRow, auditRow } from '#gating/reports/audit';
import type { Community, Rule } from '#gating/rules/rule';
import { memberClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';

export interface ErasureOptions {
  readonly store: GateStore;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** In the community's language. */
  readonly textsOf: (community: Community) => Promise<Texts>;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly signal: AbortSignal;
}

const REASON = keptReason({ code: 'erased' });

/** Removes what rules granted an account, before it's erased. */
export class Erasure {
  readonly #options: ErasureOptions;

  constructor(options: ErasureOptions) {
    this.#options = options;
  }

  /**
   * @throws RetryableError if the platform is unavailable, in which case nothing may be erased yet
   */
  async release({ platform, id }: Account): Promise<void> {
    const { store, replica, adapterOf, signal } = this.#options;
    for (const community of await store.communitiesOf(platform, id)) {
      const adapter = adapterOf(platform as Community['platform']);
      if (adapter === undefined) continue;
      await replica.inTurn(memberClaim(community, id), signal, () =>
        this.#releaseIn(community, adapter, id),
      );
    }
  }

  async #releaseIn(
    community: Community,
    adapter: CommunityAdapter,
    account: string,
  ): Promise<void> {
    const { store } = this.#options;
    const grants = await store.grantsOf(community, [account]);
    const ours = new Set(
      grants.filter(({ ownership }) => ownership === 'ours').map(({ rule }) => rule),
    );
    const rules = (await store.rulesOf(community)).filter(({ id }) => ours.has(id));
    // Remove what several rules grant only once.
    for (const [grant, [rule]] of Map.groupBy(rules, (each) => each.grant)) {
      if (rule === undefined) continue;
      const live = await liveOf(adapter, community, account);
      if (live === 'unreachable') {
        await this.#note(community, rule, account, 'skipped', 'no-community');
        continue;
      }
      const has = live?.grants.includes(grant) === true;
      if (!has) await this.#note(community, rule, account, 'skipped', 'gone');
      else if ((await store.member(community, account))?.isProtected === true) {
        await this.#note(community, rule, account, 'skipped', 'protected');
      } else if (live.isAdmin) await this.#note(community, rule, account, 'skipped', 'spared');
      else {
        await this.#note(community, rule, account, 'take-begun', REASON);
        const why = platformReason(REASON, await this.#options.textsOf(community));
        const outcome = await adapter.take(community.id, account, grant, why);
        if (outcome === 'done') await this.#note(community, rule, account, 'taken', REASON);
        else await this.#note(community, rule, account, 'skipped', outcome);
      }
    }
  }

  async #note(
    community: Community,
    { id: rule }: Rule,
    account: string,
    event: AuditRow['event'],
    detail: Skip | string,
  ): Promise<void> {
    const { store, now } = this.#options;
    await store.audit([auditRow(now(), community, event, { rule, account, detail })]);
  }
}

/** A community that the bot was removed from must not prevent an erasure for ever. */
async function liveOf(
  adapter: CommunityAdapter,
  community: Community,
  account: string,
): Promise<Member | undefined | 'unreachable'> {
  try {
    return await adapter.member(community.id, account, true);
  } catch (error) {
    if (error instanceof UnreachableCommunity) return 'unreachable';
    throw error;
  }
}
