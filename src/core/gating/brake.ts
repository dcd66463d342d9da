import type { Community, Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';

/** More than this part of the holders, and more than this many members. */
const SHARE = 0.1;
const FEW = 5;
/** So many are too many, whatever the part. */
const MANY = 100;
/** Seconds over which takes are added up: what goes bit by bit goes as well. */
const WINDOW = 86_400;

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
 */
export async function weigh(
  store: Pick<GateStore, 'countHolders' | 'takenSince' | 'unsettledOf'>,
  community: Community,
  rules: readonly Rule[],
  takings: readonly Taking[],
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
    const losing = new Set(takings.filter(isOf).map(({ account }) => account));
    const ids = rules.filter(isOf).map(({ id }) => id);
    // Who has lost it within the day had it before.
    const holders = (await store.countHolders(community, ids)) + lost.size;
    const taken = lost.union(losing).size;
    if (isTooMany(taken, holders)) return { grant, taken, holders };
  }
  return undefined;
}
