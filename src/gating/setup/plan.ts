import type { Texts } from '#command/texts';
import type {
  Caution,
  CommunityAdapter,
  MakingBlocker,
  NamedRole,
  ReportRefusal,
  RoleCreation,
  RuleBlocker,
} from '#gating/community-adapter';
import { rungsOf } from '#gating/decide/ladder';
import type { CautionsOf } from '#gating/rules/channel-power';
import { type Community, RULES_MAX, type Rule, type RuleDraft } from '#gating/rules/rule';
import { tierOfRole } from '#gating/rules/tier-of-role';
import type { GateStore } from '#gating/store';
import { TIERS, type Tier } from '#reputation';
import type { ReplacedRule, RoleUse, SetupStep } from './record.ts';

/** What a setup would do about one tier. */
export interface PlannedTier {
  readonly tier: Tier;
  /** `ruled`: a rule gives a role for it already. `offered`: a role of that name exists. */
  readonly is: 'ruled' | 'offered' | 'new';
  /** The role's name. */
  readonly name: string;
  /** The id of a role that exists. */
  readonly role: string | undefined;
  /** What a moderator must know of a role that exists. */
  readonly cautions: readonly Caution[];
  /** A role of that name beside which a new one would be made, and why no rule can give it. */
  readonly unfit?: { readonly name: string; readonly blockers: readonly RuleBlocker[] };
  /** Rules for it whose role somebody has deleted. */
  readonly replaces: readonly Rule[];
}

/** What a setup would do. */
export interface SetupPlan {
  readonly tiers: readonly PlannedTier[];
  readonly turnsLadderOn: boolean;
  /** Where reports would go, if that isn't where they go. */
  readonly channel: string | undefined;
  /** Where the panel would be posted, if there's none yet. */
  readonly panel: string | undefined;
  /** What somebody has deleted, or its channel never took: a wish alone makes another. */
  readonly gone: readonly ('channel' | 'panel')[];
  /** Why the bot can't post in the channels that reports and the panel go to. */
  readonly refused: { readonly channel?: ReportRefusal; readonly panel?: ReportRefusal };
  /** What prevents it. */
  readonly blockers: readonly (MakingBlocker | 'too-many-roles' | 'too-many-rules')[];
  /** What its rules would work better with. */
  readonly cautions: readonly Caution[];
}

/** Roles of a server, at most. https://discord.com/developers/docs/resources/guild */
const ROLES_MAX = 250;

/** Where a moderator wants reports to go, and the panel to be posted; undefined for no wish. */
export interface SetupPlaces {
  readonly channel?: string | undefined;
  readonly panel?: string | undefined;
}

/** Whether everything is there already. */
export function isNothing({ tiers, turnsLadderOn, channel, panel }: SetupPlan): boolean {
  const isReady = tiers.every(({ is }) => is === 'ruled') && !turnsLadderOn;
  return isReady && channel === undefined && panel === undefined;
}

/**
 * @param blockersOf why rules may not give an existing role
 * @param texts in the community's language
 */
export async function planTiers(
  rules: readonly Rule[],
  roles: readonly NamedRole[],
  blockersOf: (role: NamedRole) => Promise<readonly RuleBlocker[]>,
  cautionsOf: CautionsOf,
  texts: Texts,
): Promise<readonly PlannedTier[]> {
  const rungs = rungsOf(rules);
  const taken = new Set(rules.map(({ grant }) => grant));
  const planned: PlannedTier[] = [];
  for (const [place, tier] of TIERS.entries()) {
    const ofRung = rules.filter(({ grant }) => rungs.get(grant) === place);
    const given = roles.find(({ id }) => ofRung.some(({ grant }) => grant === id));
    if (given !== undefined) {
      const { id: role, name } = given;
      planned.push({ tier, is: 'ruled', name, role, cautions: cautionsOf(role), replaces: [] });
      continue;
    }
    const named = roles.filter(({ id, name }) => tierOfRole(name) === tier && !taken.has(id));
    const { fit, unfit } = await firstFit(named, blockersOf);
    planned.push(
      fit === undefined
        ? {
            ...{ tier, is: 'new', name: texts.tiers[tier], role: undefined },
            ...{ cautions: [], replaces: ofRung },
            ...(unfit !== undefined && { unfit }),
          }
        : {
            ...{ tier, is: 'offered', name: fit.name, role: fit.id },
            ...{ cautions: cautionsOf(fit.id), replaces: ofRung },
          },
    );
  }
  return planned;
}

/** The first of some roles that rules may give, or else why they may not give the first. */
async function firstFit(
  roles: readonly NamedRole[],
  blockersOf: (role: NamedRole) => Promise<readonly RuleBlocker[]>,
): Promise<{ readonly fit?: NamedRole; readonly unfit?: PlannedTier['unfit'] }> {
  let unfit: PlannedTier['unfit'];
  for (const role of roles) {
    const blockers = await blockersOf(role);
    if (blockers.length === 0) return { fit: role };
    unfit ??= { name: role.name, blockers };
  }
  return unfit === undefined ? {} : { unfit };
}

/** What's in the way of as many new roles and rules. */
export function roomFor(
  tiers: readonly PlannedTier[],
  rules: readonly Rule[],
  roles: readonly NamedRole[],
): SetupPlan['blockers'] {
  const made = tiers.filter(({ is }) => is === 'new').length;
  const ruled = tiers.filter(({ is, replaces }) => is !== 'ruled' && replaces.length === 0).length;
  return [
    ...(roles.length + made > ROLES_MAX ? ['too-many-roles' as const] : []),
    ...(rules.length + ruled > RULES_MAX ? ['too-many-rules' as const] : []),
  ];
}

/** Where the platform itself writes to moderators alone. */
export async function privatePlace(
  adapter: CommunityAdapter,
  community: string,
): Promise<string | undefined> {
  const places = await adapter.otherPlaces?.(community);
  return places?.find(({ isPublic }) => !isPublic)?.channel;
}

/** Why the bot can't post where reports and the panel go, as far as the platform says. */
export async function refusals(
  adapter: CommunityAdapter,
  community: string,
  { channel, panel }: SetupPlaces,
): Promise<SetupPlan['refused']> {
  const lookAt = async (id: string | undefined) =>
    id === undefined ? true : ((await adapter.canPost?.(community, id)) ?? true);
  const [reports, members] = [await lookAt(channel), await lookAt(panel)];
  return {
    ...(reports !== true && { channel: reports }),
    ...(members !== true && { panel: members }),
  };
}

interface StepsOptions {
  /** Whether to make new roles where some of the same names exist. */
  readonly isNew: boolean;
  readonly texts: Texts;
  /** Ids of rules that exist. */
  readonly used: readonly string[];
  readonly newRuleId: () => string;
}

/**
 * What a setup does for each tier, after what earlier ones did: it's undone together. A step whose rule is
 * replaced ends: its role is gone.
 */
export function setupSteps(
  tiers: readonly PlannedTier[],
  before: readonly SetupStep[],
  { isNew, texts, used, newRuleId }: StepsOptions,
): readonly SetupStep[] {
  const taken = new Set(used);
  const freeId = (): string => {
    const id = newRuleId();
    if (taken.has(id)) return freeId();
    taken.add(id);
    return id;
  };
  const planned = tiers.filter(({ is }) => is !== 'ruled');
  // Rules of the same second are listed by their ids: in the order of tiers.
  const ids = planned.map(freeId).toSorted();
  const replaced = new Set(planned.flatMap(({ replaces }) => replaces.map(({ id }) => id)));
  return [
    ...before
      .filter(({ rule }) => !replaced.has(rule))
      .map((it) => ({ ...it, isOld: true as const })),
    ...planned.map(({ tier, is, name, role, replaces }, i): SetupStep => {
      const own = before.filter(({ rule }) => replaces.some(({ id }) => id === rule));
      const all: readonly ReplacedRule[] = [
        ...replaces.map((rule) => ({ rule, isOurs: own.some((it) => it.rule === rule.id) })),
        // If the rule itself came in place of others, those count.
        ...own.flatMap((it) => it.replaces ?? []),
      ];
      const more = { rule: ids[i] as string, ...(all.length > 0 && { replaces: all }) };
      return is === 'offered' && !isNew
        ? { tier, name, role: 'there', id: role, ...more }
        : { tier, name: texts.tiers[tier], role: 'planned', id: undefined, ...more };
    }),
  ];
}

/** What moderators chose for a rule, for the one in its place. */
export function chosenFor([replaced]: readonly ReplacedRule[]): Partial<RuleDraft> {
  if (replaced === undefined) return {};
  const { exclusive, isHidden, graceSeconds } = replaced.rule;
  return { exclusive, isHidden, graceSeconds };
}

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
    const ofRole = rules.filter(({ grant }) => grant === role);
    if (ofRole.some(({ id }) => !own.has(id))) {
      uses.set(role, 'ruled');
      continue;
    }
    const ids = ofRole.map(({ id }) => id);
    const { ours, theirs } = await recordedHolders(store, community, ids);
    const holders = found?.get(role);
    const isByHand =
      typeof holders === 'object'
        ? [...holders].some((account) => !ours.has(account))
        : theirs > 0 || (holders !== undefined && holders > ours.size);
    if (isByHand) uses.set(role, 'given');
    else if (holders === undefined) uses.set(role, 'untold');
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
