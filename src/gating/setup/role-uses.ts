import type { CommunityAdapter, RoleCreation } from '#gating/community-adapter';
import type { Community } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import type { RoleUse, SetupStep } from './record.ts';

/** Accounts per page. */
const PAGE = 1_000;

interface RoleUsesOptions {
  readonly store: Pick<GateStore, 'rulesOf' | 'holdersAfter' | 'grantsOf'>;
  readonly community: Community;
  readonly adapter: CommunityAdapter & RoleCreation;
  readonly signal: AbortSignal;
}

/**
 * Which roles of a setup serve somebody else by now, so that its undo leaves them: another rule gives it, or members
 * have it from a person. Ask before the setup's rules are removed: with them goes what rules gave.
 * @returns by the role's id
 * @throws RetryableError
 */
export async function roleUses(
  steps: readonly SetupStep[],
  options: RoleUsesOptions,
): Promise<ReadonlyMap<string, RoleUse>> {
  const { store, community, adapter, signal } = options;
  const rules = await store.rulesOf(community);
  const own = new Set(steps.map(({ rule }) => rule));
  const made = new Set(steps.flatMap(({ role, id }) => (role === 'there' ? [] : (id ?? []))));
  const uses = new Map<string, RoleUse>();
  const found = made.size === 0 ? undefined : await holdersOf(made, community, adapter, signal);
  for (const role of made) {
    const its = rules.filter(({ grant }) => grant === role);
    if (its.some(({ id }) => !own.has(id))) {
      uses.set(role, 'ruled');
      continue;
    }
    const ids = its.map(({ id }) => id);
    const { ours, theirs } = await recordedHolders(store, community, ids);
    const holders = found?.get(role);
    const isByHand =
      typeof holders === 'object'
        ? [...holders].some((account) => !ours.has(account))
        : theirs > 0 || holders === undefined || holders > ours.size;
    if (isByHand) uses.set(role, 'given');
  }
  return uses;
}

/** Who has each role; where members can't be listed, how many. Undefined if the platform doesn't say. */
async function holdersOf(
  roles: ReadonlySet<string>,
  community: Community,
  adapter: CommunityAdapter & RoleCreation,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ReadonlySet<string> | number> | undefined> {
  const pages = adapter.members(community.id, signal);
  if (pages === undefined) {
    const counts = await adapter.countHolders(community.id);
    return counts && new Map([...roles].map((role) => [role, counts.get(role) ?? 0]));
  }
  const holders = new Map([...roles].map((role) => [role, new Set<string>()]));
  for await (const page of pages) {
    for (const { id, grants } of page) for (const role of grants) holders.get(role)?.add(id);
  }
  return holders;
}

/** Who has a role from these rules, as far as we know, and how many have it otherwise. */
async function recordedHolders(
  store: RoleUsesOptions['store'],
  community: Community,
  rules: readonly string[],
): Promise<{ readonly ours: ReadonlySet<string>; readonly theirs: number }> {
  const ours = new Set<string>();
  const theirs = new Set<string>();
  for (let after = ''; rules.length > 0; ) {
    const accounts = await store.holdersAfter(community, rules, after, PAGE);
    for (const { rule, account, ownership } of await store.grantsOf(community, accounts)) {
      if (!rules.includes(rule)) continue;
      if (ownership === 'ours') ours.add(account);
      else if (ownership === 'theirs') theirs.add(account);
    }
    const last = accounts.at(-1);
    if (last === undefined || accounts.length < PAGE) break;
    after = last;
  }
  return { ours, theirs: theirs.size };
}
