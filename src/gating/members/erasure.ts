import type { Replica } from '#cluster';
import type { Account } from '#command';
import type { Texts } from '#command/texts';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import type { Grant } from '#gating/decide/grant';
import { keptReason, platformReason, type Skip } from '#gating/decide/reason';
import { UnreachableCommunity } from '#gating/platform';
import { type AuditRow, auditRow } from '#gating/reports/audit';
import type { Community } from '#gating/rules/rule';
import { memberClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';
import type { Bars } from './bars/bars.ts';

export interface ErasureOptions {
  readonly store: GateStore;
  readonly bars: Pick<Bars, 'observe'>;
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
    const { store, bars } = this.#options;
    const grants = (await store.grantsOf(community, [account])).filter(isHeld);
    const known = new Map(grants.map((grant) => [grant.rule, grant]));
    const rules = (await store.rulesOf(community)).filter(({ id }) => known.has(id));
    // A removal of ours whose answer was lost would look like somebody else's.
    const isSettled = (await store.unsettledOf(community, account)).length === 0;
    // Remove what several rules grant only once.
    for (const [role, ofRole] of Map.groupBy(rules, ({ grant }) => grant)) {
      const held = ofRole.flatMap(({ id }) => known.get(id) ?? []);
      const live = await liveOf(adapter, community, account);
      // What somebody has taken stays taken: afterwards nothing tells that they had it.
      if (isSettled && typeof live === 'object') await bars.observe(community, held, live, role);
      const ours = held.find(({ ownership }) => ownership === 'ours');
      if (ours !== undefined) await this.#releaseOne(community, adapter, ours, role, live);
    }
  }

  async #releaseOne(
    community: Community,
    adapter: CommunityAdapter,
    { rule, account }: Grant,
    role: string,
    live: Member | undefined | 'unreachable',
  ): Promise<void> {
    const { store } = this.#options;
    if (live === 'unreachable') {
      await this.#note(community, rule, account, 'skipped', 'no-community');
    } else if (live?.grants.includes(role) !== true) {
      await this.#note(community, rule, account, 'skipped', 'gone');
    } else if ((await store.member(community, account))?.isProtected === true) {
      await this.#note(community, rule, account, 'skipped', 'protected');
    } else if (live.isAdmin) {
      await this.#note(community, rule, account, 'skipped', 'spared');
    } else {
      await this.#note(community, rule, account, 'take-begun', REASON);
      const why = platformReason(REASON, await this.#options.textsOf(community));
      const outcome = await adapter.take(community.id, account, role, why);
      if (outcome === 'done') await this.#note(community, rule, account, 'taken', REASON);
      else await this.#note(community, rule, account, 'skipped', outcome);
    }
  }

  async #note(
    community: Community,
    rule: string,
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

function isHeld({ ownership }: Grant): boolean {
  return ownership !== 'none';
}
