import type { Community, Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';

/** More than this part of the holders, and more than this many members. */
const SHARE = 0.1;
export const FEW = 5;
/** So many are too many, whatever the part. */
const MANY = 100;
/** Seconds over which takes are added up: what goes bit by bit goes as well. */
const WINDOW = 86_400;
/** Holders read at once. */
const PAGE = 1_000;

/** Something that is to be taken from a member. */
export interface Taking {
  readonly grant: string;
  readonly account: string;
}

/** What is too much to take unasked. */
export interface TooMuch {
  /** Undefined: members who would lose anything at all. */
  readonly grant: string | undefined;
  readonly taken: number;
  readonly holders: number;
}

/**
 * Whether so many members losing something are too many to do it unasked.
 * @param holders how many had it before
 */
export function isTooMany(taken: number, holders: number): boolean {
  return taken >= MANY || (taken > FEW && taken > holders * SHARE);
}

/**
 * Whether a pass would take too much unasked: of any one role, or of all together. Members count, each
 * once, with those from whom passes have taken something unasked within a day.
 * @param rules all of the community
 * @param has whether an account has what some of the rules give; what is remembered of them may be old
 */
export async function weigh(
  store: Pick<GateStore, 'holdersAfter' | 'takenSince' | 'unsettledOf'>,
  community: Community,
  rules: readonly Rule[],
  takings: readonly Taking[],
  has: (account: string, rules: readonly Rule[]) => Promise<boolean>,
  now: number,
): Promise<TooMuch | undefined> {
  if (takings.length === 0) return undefined;
  // What may have been taken counts until it is known.
  const unsettled = await store.unsettledOf(community, undefined);
  const recent = [
    ...(await store.takenSince(community, now - WINDOW)),
    ...unsettled.filter(({ step }) => step === 'take'),
  ];
  for (const grant of [...new Set(takings.map((each) => each.grant)), undefined]) {
    const isOf = (each: { readonly grant: string }) => grant === undefined || each.grant === grant;
    const lost = new Set(recent.filter(isOf).map(({ account }) => account));
    const losing = takings.filter(isOf).map(({ account }) => account);
    // Who has lost it within the day had it before.
    const holders = lost.union(new Set(losing));
    const taken = holders.size;
    if (taken <= FEW) continue;
    const its = rules.filter(isOf);
    // So many are too many of any number: whoever is remembered counts in what is said.
    const isHolder = taken >= MANY ? async () => true : async (id: string) => await has(id, its);
    await addHolders(store, community, its, holders, isHolder, taken);
    if (isTooMany(taken, holders.size)) return { grant, taken, holders: holders.size };
  }
  return undefined;
}

/** Adds those who have it, until there are enough for so many takes. */
async function addHolders(
  store: Pick<GateStore, 'holdersAfter'>,
  community: Community,
  rules: readonly Rule[],
  holders: Set<string>,
  isHolder: (account: string) => Promise<boolean>,
  taken: number,
): Promise<void> {
  const ids = rules.map(({ id }) => id);
  for (let after = ''; ; ) {
    const page = await store.holdersAfter(community, ids, after, PAGE);
    for (const account of page) {
      if (!isTooMany(taken, holders.size)) return;
      if (!holders.has(account) && (await isHolder(account))) holders.add(account);
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
