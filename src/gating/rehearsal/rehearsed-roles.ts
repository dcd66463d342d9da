import { countWallets, type LinkedFigures } from '#gating/decide/counted-wallets';
import { rungsIf } from '#gating/decide/ladder';
import { meets } from '#gating/decide/verdict';
import { cutoffPlace } from '#gating/requirements/index';
import { type Community, isBeyond, type Rule } from '#gating/rules/rule';
import type { GateStore, KnownMember } from '#gating/store';
import type { Tier, TierThresholds } from '#reputation';
import { Ranks } from '#scoring';
import type { Wallet } from '#wallet';

/** Who would gain or lose what a community's rules grant, counted in members. */
export interface RoleMoves {
  readonly community: Community;
  /** Id of the role, or `entry`. */
  readonly grant: string;
  readonly grantName: string;
  /** Members who have it by the rules. */
  readonly before: number;
  readonly after: number;
  readonly gained: number;
  readonly lost: number;
}

/** What a wallet has under some rules; undefined for one without any activity. */
export type RoleFigures =
  | { readonly score: number; readonly tier: Tier; readonly badges: readonly string[] }
  | undefined;

type Change = readonly [before: RoleFigures, after: RoleFigures];

interface GatedCommunity {
  readonly community: Community;
  readonly rules: readonly Rule[];
  /** Places in TIERS of the roles of its ladder; empty without one. */
  readonly rungs: ReadonlyMap<string, number>;
}

/** Page size when reading members. */
const PAGE = 500;

/** What a rehearsal needs of communities. */
export type RoleStore = Pick<GateStore, 'communities' | 'rulesOf' | 'membersAfter' | 'settingsOf'>;

/** Collects what linked wallets have before and after, and finds whose roles would change. */
export class RoleRehearsal {
  readonly #store: RoleStore;
  readonly #thresholds: TierThresholds;
  readonly #communities: readonly GatedCommunity[];
  /** By address, which implies the chain. Undefined until it's seen. */
  readonly #linked: Map<string, Change | undefined>;
  /** Before and after; undefined if no rule requires a rank. */
  readonly #ranks: readonly [Ranks, Ranks] | undefined;

  private constructor(
    store: RoleStore,
    thresholds: TierThresholds,
    communities: readonly GatedCommunity[],
    linked: Map<string, Change | undefined>,
  ) {
    this.#store = store;
    this.#thresholds = thresholds;
    this.#communities = communities;
    this.#linked = linked;
    const needsRanks = communities.some(({ rules }) =>
      rules.some(({ requirements }) => cutoffPlace(requirements) !== undefined),
    );
    if (needsRanks) this.#ranks = [new Ranks(), new Ranks()];
  }

  /** @throws RetryableError */
  static async begin(store: RoleStore, thresholds: TierThresholds): Promise<RoleRehearsal> {
    const communities: GatedCommunity[] = [];
    const linked = new Map<string, Change | undefined>();
    for (const community of await store.communities()) {
      const rules = await store.rulesOf(community);
      const { isLadder } = await store.settingsOf(community);
      const rungs = rungsIf(isLadder, rules);
      communities.push({ community, rules, rungs });
      for await (const { wallets } of membersOf(store, community)) {
        for (const { address } of wallets) linked.set(address, undefined);
      }
    }
    return new RoleRehearsal(store, thresholds, communities, linked);
  }

  /** Whether any community has rules; otherwise it needs no calls. */
  get isNeeded(): boolean {
    return this.#communities.length > 0;
  }

  /** Call it for every wallet with an activity, before or after. */
  see({ chain, address }: Wallet, before: RoleFigures, after: RoleFigures): void {
    if (this.#linked.has(address)) this.#linked.set(address, [before, after]);
    if (this.#ranks === undefined) return;
    if (before !== undefined) this.#ranks[0].add(chain, before.score);
    if (after !== undefined) this.#ranks[1].add(chain, after.score);
  }

  /** @throws RetryableError */
  async result(): Promise<RoleMoves[]> {
    const all: RoleMoves[] = [];
    for (const { community, rules, rungs } of this.#communities) {
      const byGrant = Map.groupBy(rules, ({ grant }) => grant);
      const moves = new Map(
        [...byGrant].map(([grant, [rule]]) => [
          grant,
          {
            ...{ community, grant, grantName: rule?.grantName ?? grant },
            ...{ before: 0, after: 0, gained: 0, lost: 0 },
          },
        ]),
      );
      for await (const member of membersOf(this.#store, community)) {
        const found = new Map<string, Held>();
        for (const [grant, ofGrant] of byGrant) found.set(grant, this.#evaluate(member, ofGrant));
        for (const [grant, held] of highestAlone(found, rungs)) count(held, moves.get(grant));
      }
      all.push(...moves.values());
    }
    return all;
  }

  /** As in gating: active rules grant, and members who meet a paused one keep it. */
  #evaluate({ wallets, isProtected }: KnownMember, rules: readonly Rule[]): Held {
    const working = rules.filter(isWorking);
    const meetsAny = (of: readonly Rule[], when: 0 | 1) =>
      of.some((rule) => this.#meets(rule, wallets, when));
    const had = meetsAny(working, 0);
    const has = meetsAny(working, 1) || (had && (isProtected || meetsAny(rules, 1)));
    return { had, has };
  }

  #meets(rule: Rule, wallets: readonly Wallet[], when: 0 | 1): boolean {
    const { chain, walletMode: mode = 'best' } = rule;
    const ranks = this.#ranks?.[when];
    const all = wallets.map((wallet): LinkedFigures => {
      const figures = this.#linked.get(wallet.address)?.[when];
      if (figures === undefined) return { wallet, record: undefined };
      const { score, tier, badges } = figures;
      return { wallet, record: { score, tier, rank: ranks?.rankOf(score) ?? 0 }, badges };
    });
    const counted = countWallets(all, { mode, chain, thresholds: this.#thresholds });
    if (counted.some(({ record }) => isBeyond(rule, record))) return false;
    const place = cutoffPlace(rule.requirements);
    const last = place === undefined ? undefined : ranks?.lastOf(chain, place);
    const cutoff = last === undefined ? undefined : { score: last };
    return counted.some((each) => meets(rule, each, cutoff));
  }
}

function isWorking({ paused }: Rule): boolean {
  return paused === undefined;
}

/** Whether a member has a role before and after. */
interface Held {
  readonly had: boolean;
  readonly has: boolean;
}

/** Keeps the highest role of a ladder alone. */
function highestAlone(
  found: ReadonlyMap<string, Held>,
  rungs: ReadonlyMap<string, number>,
): ReadonlyMap<string, Held> {
  const isHighest = (role: string, of: (held: Held) => boolean) => {
    const own = rungs.get(role);
    return [...rungs].every(([other, place]) => {
      const held = found.get(other);
      return own === undefined || held === undefined || place >= own || !of(held);
    });
  };
  return new Map(
    [...found].map(([role, { had, has }]) => [
      role,
      { had: had && isHighest(role, (it) => it.had), has: has && isHighest(role, (it) => it.has) },
    ]),
  );
}

function count(
  { had, has }: Held,
  moves: { -readonly [Key in 'before' | 'after' | 'gained' | 'lost']: number } | undefined,
): void {
  if (moves === undefined) return;
  if (had) moves.before += 1;
  if (has) moves.after += 1;
  if (has && !had) moves.gained += 1;
  if (had && !has) moves.lost += 1;
}

async function* membersOf(
  store: RoleStore,
  community: Community,
): AsyncGenerator<KnownMember, void> {
  for (let after = ''; ; ) {
    const page = await store.membersAfter(community, after, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.account;
  }
}
