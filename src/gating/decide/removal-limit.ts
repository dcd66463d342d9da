import type { Member } from '#gating/community-adapter';
import { askPlatform, NoAnswer } from '#gating/platform';
import { isLoss } from '#gating/reports/audit';
import type { Community, Rule } from '#gating/rules/rule';
import type { ActiveRun } from '#gating/runs/run';
import type { GateStore } from '#gating/store';

/** A run is held above both this share of the holders and this number of members. */
const SHARE = 0.1;
export const FEW = 5;
/** A run with this many is held whatever the share. */
const MANY = 100;
/** Seconds over which removals add up, so that removing a few at a time is caught too. */
const WINDOW = 86_400;
/** Page size when reading holders. */
const PAGE = 1_000;

/** Something to be removed from a member. */
export interface Removal {
  readonly grant: string;
  readonly account: string;
}

/** A removal too large to make without asking. */
export interface LimitExceeded {
  /** Undefined: members who would lose anything at all. */
  readonly grant: string | undefined;
  readonly taken: number;
  readonly holders: number;
}

/**
 * Whether removing something from this many members needs a confirmation.
 * @param holders how many had it before
 */
export function isTooMany(taken: number, holders: number): boolean {
  return taken >= MANY || (taken > FEW && taken > holders * SHARE);
}

/**
 * Whether a pass would remove too much without asking: of one role, or of all together. Counts
 * distinct members, including those who lost something to unconfirmed passes within the last day.
 * @param rules all of the community
 * @param has whether an account still has something that these rules grant; our records may be out
 *   of date
 * @param ago the date that was so many seconds ago
 */
export async function checkRemovalLimit(
  store: Pick<GateStore, 'holdersAfter' | 'takenSince' | 'unsettledOf'>,
  community: Community,
  rules: readonly Rule[],
  takings: readonly Removal[],
  has: (account: string, rules: readonly Rule[]) => Promise<boolean>,
  ago: (seconds: number) => number,
): Promise<LimitExceeded | undefined> {
  if (takings.length === 0) return undefined;
  // A removal with an unknown outcome counts until it's settled.
  const unsettled = await store.unsettledOf(community, undefined);
  const recent = [...(await store.takenSince(community, ago(WINDOW))), ...unsettled.filter(isLoss)];
  for (const grant of [...new Set(takings.map((each) => each.grant)), undefined]) {
    const isOf = (each: { readonly grant: string }) => grant === undefined || each.grant === grant;
    const lost = new Set(recent.filter(isOf).map(({ account }) => account));
    const losing = takings.filter(isOf).map(({ account }) => account);
    // Those who lost it within the day had it before.
    const holders = lost.union(new Set(losing));
    const taken = holders.size;
    if (taken <= FEW) continue;
    const granting = rules.filter(isOf);
    // This many are too many of any number, so counting the holders on record is enough for the
    // message.
    const isHolder =
      taken >= MANY ? async () => true : async (id: string) => await has(id, granting);
    await addHolders(store, community, granting, holders, isHolder, taken);
    if (isTooMany(taken, holders.size)) return { grant, taken, holders: holders.size };
  }
  return undefined;
}

/** Adds current holders, until there are enough for this many removals. */
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

/** Accounts checked at most: twice what the largest unconfirmed share needs. */
const ASKED = 2_000;
/** After this many accounts in a row without a response, the platform counts as unavailable. */
const AWAY_AFTER = 3;

/**
 * Checks whether accounts still have what rules grant: where members can't be listed, nothing tells
 * us who left or lost it. Those we can't learn about count as not having it.
 * @returns a function that checks; it throws NoAnswer if the platform is unavailable or the run
 *   must stop
 */
export function holdersNow(
  store: Pick<GateStore, 'forgetMember'>,
  run: Pick<ActiveRun, 'community' | 'adapter' | 'basis' | 'mayGoOn'>,
): (account: string, rules: readonly Rule[]) => Promise<boolean> {
  const { community, adapter, basis } = run;
  const asked = new Map<string, Member | undefined>();
  let inRow = 0;

  async function memberNow(account: string): Promise<Member | undefined> {
    if (basis?.seen !== undefined) return basis.seen.get(account);
    if (asked.has(account)) return asked.get(account);
    if (asked.size >= ASKED) return undefined;
    if (!(await run.mayGoOn())) throw new NoAnswer('This run was asked to stop.');
    let member: Member | undefined;
    try {
      member = await askPlatform(() => adapter.member(community.id, account));
      inRow = 0;
      if (member === undefined) await store.forgetMember(community, account);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      inRow += 1;
      if (inRow >= AWAY_AFTER) throw error;
    }
    asked.set(account, member);
    return member;
  }

  return async (account, rules) => {
    const member = await memberNow(account);
    return member !== undefined && rules.some(({ grant }) => member.grants.includes(grant));
  };
}
