import type { CommunityGating, CommunityGatingOptions } from '#app/members/gating';
import { asksTheSame, type Community, type Rule, type RuleDraft } from '#gating/rules/rule';
import type { LinkStore } from '#linking/store';
import type { EarnedBadge } from '#reputation/api-records';
import type { ReputationSource } from '#reputation/reputation-source';
import type { Store } from '#storage/store';
import type { Wallet } from '#wallet/wallet';
import { openMemoryStore } from './empty-store.ts';
import { FixedSource, type FixedWallet, NOW } from './fixed-source.ts';
import { gatingWith, TestAdapter } from './gating.ts';
import { addressOf, walletOf } from './import-lines.ts';

export const GUILD: Community = { platform: 'discord', id: '700' };
export const GROUP: Community = { platform: 'telegram', id: '-100700' };
export const MODERATOR = 'discord:1';
export const ROLE = '900';

/** Scores of wallets, which know whether they have changed. */
class Scores extends Map<string, number> {
  #fixed: FixedSource | undefined;
  #changes = 0;

  override set(address: string, score: number): this {
    this.#fixed = undefined;
    return super.set(address, score);
  }

  override delete(address: string): boolean {
    this.#fixed = undefined;
    return super.delete(address);
  }

  override clear(): void {
    this.#fixed = undefined;
    super.clear();
  }

  /** A source of them as they are now. */
  source(): FixedSource {
    if (this.#fixed === undefined) {
      this.#fixed = new FixedSource(
        [...this].map(([address, score]): FixedWallet => ({ chain: 'ethereum', address, score })),
      );
      this.#changes += 1;
    }
    const source = this.#fixed.again();
    source.revision = `fixed-${this.#changes}`;
    return source;
  }
}

/** A source with scores that can be changed, and that can fail in every way a source can. */
class ChangingSource implements ReputationSource {
  readonly scores = new Scores();
  /** Called before each read of a wallet; may throw. */
  before: (address: string) => void = () => undefined;
  isStale = false;
  isPartial = false;
  /** Identifies the rules of the scores. */
  rulesVersion = '1';
  /** By wallet. */
  readonly badges = new Map<string, readonly EarnedBadge[]>();
  /** Wallets have a score of zero, as from a broken source. */
  zeros = false;

  reading() {
    const fixed = this.scores.source();
    fixed.isStale = this.isStale;
    fixed.isPartial = this.isPartial;
    fixed.rulesVersion = this.rulesVersion;
    const reputation = fixed.reputation.bind(fixed);
    fixed.reputation = (wallet: Wallet) => {
      this.before(wallet.address);
      const record = reputation(wallet);
      return this.zeros && record ? { ...record, score: 0, tier: 'Shrimp' } : record;
    };
    if (this.badges.size > 0) {
      fixed.badges = ({ address }) => {
        const badges = [...(this.badges.get(address) ?? [])];
        return { address, badges, total: badges.length };
      };
    }
    return fixed;
  }

  recognise(): undefined {
    return undefined;
  }
}

/** A guild whose members' wallets have scores, a store, a clock and a platform. */
export class GatedCommunity {
  readonly source = new ChangingSource();
  readonly adapter = new TestAdapter();
  readonly store: Store;
  readonly community: Community;
  gated: CommunityGating;
  now = NOW;

  constructor(community: Community = GUILD, store?: Store) {
    this.community = community;
    this.store = store ?? openMemoryStore();
    this.gated = this.open();
    // A source without anyone at the top wouldn't be trusted.
    this.source.scores.set(addressOf('ethereum', 1_000_000), 1_000_000);
  }

  get links(): LinkStore {
    return this.store.links;
  }

  /** Another process that serves it. */
  open(changes: Partial<CommunityGatingOptions> = {}): CommunityGating {
    return gatingWith({
      store: this.store.gating,
      source: this.source,
      adapterOf: () => this.adapter,
      walletsOf: async (account) =>
        (await this.store.links.linksOf(account)).map(({ wallet }) => wallet),
      clock: () => this.now * 1000,
      ...changes,
    });
  }

  /** As after the process ended: nothing is left in memory. */
  async restart(): Promise<void> {
    await this.gated.stop();
    this.gated = this.open();
  }

  /** A member with a linked wallet of this score. */
  async member(id: number, score: number): Promise<string> {
    const account = String(id);
    const wallet = walletOf(id);
    this.source.scores.set(wallet.address, score);
    this.adapter.join(account);
    await this.link(account, wallet);
    await this.store.gating.noteMembers(this.community, [account]);
    return account;
  }

  async link(id: string, wallet: Wallet): Promise<void> {
    const account = { platform: this.community.platform, id };
    const proof = {
      wallet,
      by: 'key',
      network: 'eip155:1',
      evidence: undefined,
      text: '',
    } as const;
    const at = this.now;
    const link = { account, wallet, proof, linkedAt: at, checkedAt: at, strikes: 0 };
    await this.store.links.change(wallet, account, () => ({ link, events: [] }));
  }

  async unlink(id: string, wallet: Wallet): Promise<void> {
    const account = { platform: this.community.platform, id };
    await this.store.links.change(wallet, account, () => ({ link: null, events: [] }));
  }

  score(id: number, score: number): void {
    this.source.scores.set(walletOf(id).address, score);
  }

  /** One that asks for the same as another comes from a change of it, as moderators can't add it. */
  async rule(change: Partial<Rule> = {}): Promise<Rule> {
    const draft: RuleDraft = {
      grant: ROLE,
      requirements: [{ kind: 'tier', tier: 'Whale' }],
      match: 'all',
      chain: undefined,
      exclusive: false,
      graceSeconds: 86_400,
      ...change,
    };
    const { gating } = this.gated;
    const isTwin = (await gating.rulesOf(this.community)).some((each) => asksTheSame(each, draft));
    const other = { kind: 'score', least: 1_000_000_000 } as const;
    // Without its bound, which would exclude what is asked for meanwhile.
    const first = isTwin ? { ...draft, requirements: [other], bounds: [] } : draft;
    const { rule } = await gating.add(this.community, first, MODERATOR);
    if (rule === undefined) throw new Error('the rule was refused');
    if (!isTwin) return rule;
    const { requirements, bounds } = draft;
    const asked = { requirements, bounds };
    await this.store.gating.changeRule(this.community, rule.id, (it) => ({ ...it, ...asked }));
    return { ...rule, ...asked };
  }

  async pass() {
    return await this.gated.gating.sweep(this.community);
  }

  /** Runs a pass every half hour for this long. */
  async hours(count: number): Promise<void> {
    for (let i = 0; i < count * 2; i++) {
      this.now += 1_800;
      await this.pass();
    }
  }

  holders(): string[] {
    return this.adapter.holders(ROLE).toSorted((a, b) => Number(a) - Number(b));
  }

  /** Audit rows as short texts, oldest first. */
  async audit(): Promise<string[]> {
    const rows = await this.store.gating.auditOf(this.community, undefined, 10_000, 0);
    return rows.toReversed().map(({ event, account }) => `${event} ${account ?? ''}`.trim());
  }
}
