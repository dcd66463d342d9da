import { RetryableError, UserError } from '#base';
import type { Replica } from '#cluster';
import { accountIdIn } from '#command';
import type { Texts } from '#command/texts';
import {
  type CommunityAdapter,
  canCreateRoles,
  type NamedRole,
  type ReportRefusal,
  type RoleCreation,
  type RoleRefusal,
} from '#gating/community-adapter';
import { isStanding, type Panels } from '#gating/panel/panels';
import type { RuleResult } from '#gating/result';
import { channelCautions } from '#gating/rules/channel-power';
import type { RoleRights } from '#gating/rules/role-rights';
import { type Community, DEFAULT_GRACE } from '#gating/rules/rule';
import type { RuleChanges } from '#gating/rules/rule-changes';
import { setupClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';
import {
  chosenFor,
  isNothing,
  planTiers,
  privatePlace,
  refusals,
  roleUses,
  roomFor,
  type SetupPlaces,
  type SetupPlan,
  setupSteps,
} from './plan.ts';
import {
  isInMaking,
  nameInMaking,
  rulesIn,
  type SetupRecord,
  type SetupResult,
  type SetupStep,
  withStep,
} from './record.ts';

export interface SetupOptions {
  readonly store: GateStore;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly rules: Pick<RuleChanges, 'add' | 'remove' | 'putBack'>;
  readonly panels: Pick<Panels, 'of' | 'turnOn' | 'turnOff'>;
  readonly rights: Pick<RoleRights, 'requireForAll'>;
  readonly setLadder: (community: Community, isOn: boolean, by: string) => Promise<void>;
  readonly setChannel: (
    community: Community,
    channel: string | undefined,
    by: string,
  ) => Promise<true | ReportRefusal>;
  readonly note: (
    community: Community,
    event: 'setup' | 'setup-undone',
    by: string,
  ) => Promise<void>;
  /** In the community's language. */
  readonly textsOf: (community: Community) => Promise<Texts>;
  /** Eight lower-case letters and digits, random. */
  readonly newId: () => string;
  readonly newRuleId: () => string;
  readonly signal: AbortSignal;
}

/**
 * Makes a role and a rule for each tier, as a ladder, says where reports go, and posts the panel. Every step is
 * recorded before and after it: a killed process leaves a record by which it goes on, or is undone, exactly.
 */
export class Setup {
  readonly #options: SetupOptions;

  constructor(options: SetupOptions) {
    this.#options = options;
  }

  async recordOf(community: Community): Promise<SetupRecord | undefined> {
    return (await this.#options.store.settingsOf(community)).setup;
  }

  /** The roles that a setup made and that are still there, by their names now. */
  async madeRoles(community: Community, { steps }: SetupRecord): Promise<readonly SetupStep[]> {
    const { roles } = await this.#making(community).listRoles(community.id);
    const names = new Map(roles.map(({ id, name }) => [id, name]));
    return steps.flatMap((step) => {
      const name = step.role === 'there' ? undefined : names.get(step.id ?? '');
      return name === undefined ? [] : { ...step, name };
    });
  }

  /**
   * What a setup would do. Changes nothing.
   * @throws UserError `gate-roles-only`; `gate-roles-above` if it would change what others' rules do
   */
  async plan(community: Community, by: string, places: SetupPlaces): Promise<SetupPlan> {
    const { store, textsOf, panels, rights } = this.#options;
    const making = this.#making(community);
    const { roles, blockers, cautions = [] } = await making.listRoles(community.id);
    const rules = await store.rulesOf(community);
    const { logChannel, isLadder } = await store.settingsOf(community);
    if (isLadder !== true) await rights.requireForAll(community, by);
    const { channel: broken } = await refusals(making, community.id, { channel: logChannel });
    const isGone = broken === 'channel-gone';
    const current = isGone ? undefined : logChannel;
    const panel = await panels.of(community);
    const blockersOf = async ({ id }: NamedRole) =>
      (await making.inspect(community.id, id, accountIdIn(by), false)).blockers;
    const cautionsOf = await channelCautions(making, community.id);
    const texts = await textsOf(community);
    const tiers = await planTiers(rules, roles, blockersOf, cautionsOf, texts);
    const target =
      places.channel ??
      (current === undefined ? await privatePlace(making, community.id) : undefined);
    const wanted = isStanding(panel) ? undefined : places.panel;
    return {
      tiers,
      turnsLadderOn: isLadder !== true,
      channel: target === current ? undefined : target,
      panel: wanted,
      refused: await refusals(making, community.id, { channel: target ?? current, panel: wanted }),
      gone: [
        ...(isGone ? ['channel' as const] : []),
        ...(panel.settings !== undefined && !isStanding(panel) ? ['panel' as const] : []),
      ],
      blockers: [...blockers, ...roomFor(tiers, rules, roles)],
      cautions,
    };
  }

  /**
   * Carries it out, or goes on with one that was interrupted.
   * @param isNew whether to make new roles where some of the same names exist
   * @returns undefined if there's nothing to do
   * @throws RetryableError if the platform or the store is away: it can be gone on with
   */
  async carryOut(
    community: Community,
    by: string,
    places: SetupPlaces,
    isNew: boolean,
  ): Promise<SetupResult | undefined> {
    return await this.#alone(community, async () => {
      const left = await this.recordOf(community);
      if (left?.status === 'ending') return await this.#end(community, left, by);
      // By the rights of the moderator who goes on: the first one's may be gone.
      if (left?.status === 'running') return await this.#go(community, { ...left, by });
      const plan = await this.plan(community, by, places);
      if (isNothing(plan) || plan.blockers.length > 0) return undefined;
      return await this.#go(community, await this.#begin(community, by, plan, isNew));
    });
  }

  /**
   * Removes what the last setup made: roles, rules, the panel, and what it set.
   * @returns undefined if there was none
   * @throws UserError `gate-roles-above`
   */
  async undo(community: Community, by: string): Promise<SetupResult | undefined> {
    return await this.#alone(community, async () => {
      const record = await this.recordOf(community);
      return record && (await this.#end(community, record, by));
    });
  }

  async #begin(
    community: Community,
    by: string,
    plan: SetupPlan,
    isNew: boolean,
  ): Promise<SetupRecord> {
    const { store, newId, newRuleId, textsOf, note } = this.#options;
    const settings = await store.settingsOf(community);
    const logChannel = plan.gone.includes('channel') ? undefined : settings.logChannel;
    const texts = await textsOf(community);
    const used = (await store.rulesOf(community)).map(({ id }) => id);
    const before = await this.recordOf(community);
    // Moderators may have chosen another channel since.
    const isOurs = before?.channel !== undefined && before.channel === logChannel;
    const record: SetupRecord = {
      ...{ id: newId(), by, status: 'running' },
      steps: setupSteps(plan.tiers, before?.steps ?? [], { isNew, texts, used, newRuleId }),
      turnsLadderOn: plan.turnsLadderOn || before?.turnsLadderOn === true,
      channel: plan.channel ?? (isOurs ? before.channel : undefined),
      channelBefore: isOurs ? before.channelBefore : logChannel,
      ...(plan.panel === undefined
        ? { panel: before?.panel, isPanelOld: true as const }
        : { panel: { id: newId(), channel: plan.panel } }),
    };
    await this.#save(community, record);
    await note(community, 'setup', by);
    return record;
  }

  async #go(community: Community, begun: SetupRecord): Promise<SetupResult> {
    const { setLadder, setChannel, store } = this.#options;
    const { by, turnsLadderOn, channel } = begun;
    const settings = await store.settingsOf(community);
    // First, or members would get all roles below theirs for a moment.
    if (turnsLadderOn && settings.isLadder !== true) await setLadder(community, true, by);
    const isSet = channel === undefined || settings.logChannel === channel;
    const written = isSet ? true : await setChannel(community, channel, by);
    const refused = written === true ? {} : { channel: written };
    let record: SetupRecord = written === true ? begun : { ...begun, channel: undefined };
    if (record !== begun) await this.#save(community, record);
    for (const at of record.steps.keys()) {
      const made = await this.#makeRole(community, record, at);
      record = made.record;
      if (made.stopped !== undefined) return { ...made, ...refused };
    }
    await this.#sweep(community, record);
    let hasNamesake = false;
    for (const [at, step] of record.steps.entries()) {
      const result = await this.#makeRule(community, record, step);
      if (result?.rule !== undefined) hasNamesake ||= result.cautions.includes('barred-namesake');
      const blockers = result?.blockers ?? [];
      if (blockers.includes('no-role')) record = await this.#startOver(community, record, at);
      if (blockers.length > 0) return { record, stopped: blockers, ...refused };
    }
    await this.#postPanel(community, record);
    record = { ...record, status: 'done' };
    await this.#save(community, record);
    return { record, hasNamesake, ...refused };
  }

  /** Last, as it tells the rules. If the platform is away, the next round posts it. */
  async #postPanel(community: Community, { by, panel, isPanelOld }: SetupRecord): Promise<void> {
    const { panels } = this.#options;
    if (panel === undefined || isPanelOld === true) return;
    const present = await panels.of(community);
    if (present.settings?.id !== panel.id && !isStanding(present)) {
      await panels.turnOn(community, panel.channel, by, panel.id);
    }
    await panels.of(community);
  }

  /** Unless moderators have posted it again, or elsewhere, since. */
  async #takePanel(community: Community, { panel }: SetupRecord, by: string): Promise<void> {
    const { store, panels } = this.#options;
    if (panel === undefined) return;
    const present = (await store.settingsOf(community)).panel;
    if (present?.id === panel.id) await panels.turnOff(community, by);
    await panels.of(community);
  }

  /** Under a name that nobody else's role has, until its id is recorded. */
  async #makeRole(community: Community, record: SetupRecord, at: number): Promise<SetupResult> {
    const step = record.steps[at];
    if (step === undefined || step.isOld || step.role === 'there' || step.role === 'made') {
      return { record };
    }
    const making = this.#making(community);
    const reason = (await this.#options.textsOf(community)).gate.setupReason;
    const id = step.id ?? (await this.#idOf(community, record, step));
    let next = withStep(record, at, { role: 'asked', id });
    await this.#save(community, next);
    if (id === undefined) {
      const role = { name: nameInMaking(record, step), tier: step.tier };
      const made = await making.makeRole(community.id, role, reason);
      if ('refused' in made) return { record: next, stopped: [made.refused] };
      next = withStep(next, at, { id: made.id });
      await this.#save(community, next);
    }
    const named = await making.renameRole(
      ...([community.id, next.steps[at]?.id ?? '', step.name, reason] as const),
    );
    if (named === 'no-role') next = await this.#startOver(community, next, at);
    if (named !== 'done') return { record: next, stopped: [named] };
    next = withStep(next, at, { role: 'made' });
    await this.#save(community, next);
    return { record: next };
  }

  /** A role that somebody has deleted is made again when a moderator goes on. */
  async #startOver(community: Community, record: SetupRecord, at: number): Promise<SetupRecord> {
    const next = withStep(record, at, { role: 'planned', id: undefined });
    await this.#save(community, next);
    return next;
  }

  /** The role that an earlier attempt made, if its answer was lost. */
  async #idOf(
    community: Community,
    record: SetupRecord,
    step: SetupStep,
  ): Promise<string | undefined> {
    if (step.role !== 'asked') return undefined;
    const { roles } = await this.#making(community).listRoles(community.id);
    return roles.find(({ name }) => name === nameInMaking(record, step))?.id;
  }

  /** @returns undefined if the rule is there, or a moderator's own stands in its place */
  async #makeRule(
    community: Community,
    { by }: SetupRecord,
    { rule, id, name, tier, isOld, replaces = [] }: SetupStep,
  ): Promise<RuleResult | undefined> {
    const { store, rules } = this.#options;
    const present = new Set((await store.rulesOf(community)).map((each) => each.id));
    if (id === undefined || isOld === true || present.has(rule)) return undefined;
    for (const { rule: old } of replaces) {
      await store.copyBars(community, old.grant, { grant: id, name });
      if (present.has(old.id)) await rules.remove(community, old.id, by);
    }
    return await rules.add(
      community,
      {
        ...{ grant: id, requirements: [{ kind: 'tier', tier }], match: 'all', chain: undefined },
        ...{ exclusive: false, graceSeconds: DEFAULT_GRACE },
        ...chosenFor(replaces),
      },
      by,
      rule,
    );
  }

  /** Deletes roles of this setup that a lost request made after all, beside the one that counts. */
  async #sweep(community: Community, record: SetupRecord): Promise<void> {
    const making = this.#making(community);
    const reason = (await this.#options.textsOf(community)).gate.setupUndoReason;
    const { roles } = await making.listRoles(community.id);
    for (const { id, name } of roles) {
      if (isInMaking(record, name)) await making.deleteRole(community.id, id, reason);
    }
  }

  async #end(community: Community, begun: SetupRecord, by: string): Promise<SetupResult> {
    const { store, rules, rights, setLadder, setChannel, textsOf, note } = this.#options;
    await rights.requireForAll(community, by);
    const record = await this.#lookOver(community, { ...begun, status: 'ending' });
    await this.#save(community, record);
    // First, or it would be edited as its rules go.
    await this.#takePanel(community, record, by);
    const kept = new Set((await store.rulesOf(community)).map(({ id }) => id));
    const { made, replaced } = rulesIn(record);
    for (const id of made) if (kept.has(id)) await rules.remove(community, id, by);
    for (const rule of replaced) if (!kept.has(rule.id)) await rules.putBack(rule, by);
    const making = this.#making(community);
    const reason = (await textsOf(community)).gate.setupUndoReason;
    const stuck = new Map<string, RoleRefusal>();
    for (const { role, id, use } of record.steps) {
      if (role === 'there' || id === undefined || use !== undefined) continue;
      const deleted = await making.deleteRole(community.id, id, reason);
      // It's gone; it doesn't matter who deleted it.
      if (deleted !== 'done' && deleted !== 'no-role') stuck.set(id, deleted);
    }
    if (stuck.size > 0) {
      const { roles } = await making.listRoles(community.id);
      const named = roles.filter(({ id }) => stuck.has(id)).map(({ name }) => name);
      return { record, stopped: [...new Set(stuck.values())], stuck: named };
    }
    await this.#sweep(community, record);
    const { isLadder, logChannel } = await store.settingsOf(community);
    if (record.turnsLadderOn && isLadder === true) await setLadder(community, false, by);
    if (record.channel !== undefined && logChannel === record.channel) {
      await setChannel(community, record.channelBefore, by);
    }
    await store.putSettings(community, { setup: undefined });
    await note(community, 'setup-undone', by);
    return { record };
  }

  /** Notes which roles somebody else needs by now: once, as removing rules ends what is known of them. */
  async #lookOver(community: Community, record: SetupRecord): Promise<SetupRecord> {
    if (record.isLookedOver === true) return record;
    const { store, signal } = this.#options;
    const adapter = this.#making(community);
    const uses = await roleUses(record.steps, { store, community, adapter, signal });
    const made = await this.madeRoles(community, record);
    const names = new Map(made.map(({ id, name }) => [id, name]));
    const steps = record.steps.map((step) => {
      const use = uses.get(step.id ?? '');
      return use === undefined ? step : { ...step, use, name: names.get(step.id) ?? step.name };
    });
    return { ...record, steps, isLookedOver: true };
  }

  async #save(community: Community, setup: SetupRecord): Promise<void> {
    await this.#options.store.putSettings(community, { setup });
  }

  /** Two of them would make everything twice. */
  async #alone<T>(community: Community, work: () => Promise<T>): Promise<T> {
    const { replica, signal } = this.#options;
    return await replica.inTurn(setupClaim(community), signal, async ({ isHeld }) => {
      if (!(await isHeld())) throw new RetryableError('Another replica sets this community up.');
      return await work();
    });
  }

  #making(community: Community): CommunityAdapter & RoleCreation {
    const adapter = this.#options.adapterOf(community.platform);
    if (adapter === undefined || !canCreateRoles(adapter)) {
      throw new UserError('gate-roles-only', 'There are no roles to make here.');
    }
    return adapter;
  }
}
