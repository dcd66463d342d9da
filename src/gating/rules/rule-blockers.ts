import { RetryableError } from '#base';
import { accountIdIn } from '#command';
import type { CommunityAdapter, RuleBlocker } from '#gating/community-adapter';
import { keptReason } from '#gating/decide/reason';
import { auditRow } from '#gating/reports/audit';
import type { RuleProblem } from '#gating/result';
import { isActive, type PassCriteria } from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import { channelCautions, NO_CAUTIONS } from './channel-power.ts';
import { isRuleRefusal, type RuleRefusal } from './refusals.ts';
import { type Community, grantNameOf, type Rule } from './rule.ts';

export interface RuleBlockersOptions {
  readonly store: GateStore;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** Finds what prevents rules from working on the platform, by asking it again. */
export class RuleBlockers {
  readonly #options: RuleBlockersOptions;

  constructor(options: RuleBlockersOptions) {
    this.#options = options;
  }

  /**
   * Checks all rules that should work. Resumes those paused by the platform if nothing prevents
   * them any more, and pauses those that something prevents before they're tried.
   * @param all the community's rules
   * @param by the moderator who asks: rules they may not resume stay paused
   */
  async lookAt(
    community: Community,
    all: readonly Rule[],
    by: string | undefined,
  ): Promise<readonly RuleProblem[]> {
    const { found, free } = await this.#sort(community, all, by);
    for (const rule of free) if (!isActive(rule)) await this.#resume(rule, by);
    await this.#pauseAll(found, by);
    return found;
  }

  /**
   * Which rules this moderator's run would apply now, and what prevents others. Changes nothing. If the platform is
   * unavailable, that's those that are active.
   */
  async foresee(
    community: Community,
    by: string | undefined,
  ): Promise<{
    readonly problems: readonly RuleProblem[];
    readonly working: ReadonlySet<string>;
  }> {
    const all = await this.#options.store.rulesOf(community);
    const idsOf = (rules: readonly Rule[]) => new Set(rules.map(({ id }) => id));
    try {
      const { found, free } = await this.#sort(community, all, by);
      return { problems: found, working: idsOf(free) };
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      return { problems: [], working: idsOf(all.filter(isActive)) };
    }
  }

  /** Of the rules that should work: what prevents some, and the others. */
  async #sort(
    community: Community,
    all: readonly Rule[],
    by: string | undefined,
  ): Promise<{ readonly found: readonly RuleProblem[]; readonly free: readonly Rule[] }> {
    const rules = all.filter(isWanted);
    const found = [...(await this.#inspect(community, rules))];
    const troubled = new Set(found.map(({ rule }) => rule.id));
    const free: Rule[] = [];
    for (const rule of rules.filter(({ id }) => !troubled.has(id))) {
      const blockers = isActive(rule) ? [] : await this.#blockersFor(rule, by);
      if (blockers.length > 0) found.push({ rule, blockers });
      else free.push(rule);
    }
    return { found, free };
  }

  /**
   * Pauses active rules that something prevents now: a role may have gained permissions over
   * others. None if the platform is unavailable now.
   */
  async pause(community: Community, all: readonly Rule[]): Promise<readonly RuleProblem[]> {
    const found = await this.#quietly(community, all.filter(isActive));
    await this.#pauseAll(found, undefined);
    return found;
  }

  /** What prevents rules now, even if no run has met it yet, and cautions. Changes nothing. */
  async shown(community: Community): Promise<readonly RuleProblem[]> {
    const rules = (await this.#options.store.rulesOf(community)).filter(isWanted);
    return await this.#quietly(community, rules, true);
  }

  /** Brings the names of what rules grant up to date, if the platform tells them now. */
  async refreshNames(community: Community): Promise<void> {
    await this.#quietly(community, await this.#options.store.rulesOf(community), false, false);
  }

  /** Checks rules that the platform has paused since a run was planned. */
  async since(community: Community, basis: PassCriteria): Promise<readonly RuleProblem[]> {
    const now = await this.#options.store.rulesOf(community);
    const planned = new Set(basis.rules.map(({ id }) => id));
    const isNew = (rule: Rule) => planned.has(rule.id) && rule.paused !== undefined;
    return await this.#quietly(community, now.filter(isNew).filter(isWanted));
  }

  /** What prevents rules for any of these roles, paused or not. Changes nothing. */
  async ofGrants(
    community: Community,
    grants: ReadonlySet<string>,
  ): Promise<readonly RuleProblem[]> {
    const rules = await this.#options.store.rulesOf(community);
    return await this.#quietly(
      community,
      rules.filter(({ grant }) => grants.has(grant)),
    );
  }

  /** What prevents a moderator from resuming a rule. */
  async #blockersFor(
    { community, grant }: Rule,
    by: string | undefined,
  ): Promise<readonly RuleBlocker[]> {
    if (by === undefined) return [];
    const adapter = this.#options.adapterOf(community.platform);
    const inspected = await adapter?.inspect(community.id, grant, accountIdIn(by), false);
    return inspected?.blockers ?? [];
  }

  /** If the platform is unavailable, at least report that rules are paused. */
  async #quietly(
    community: Community,
    rules: readonly Rule[],
    withCautions = false,
    isFresh = true,
  ): Promise<readonly RuleProblem[]> {
    try {
      return await this.#inspect(community, rules, withCautions, isFresh);
    } catch (error) {
      if (error instanceof RetryableError) return [];
      throw error;
    }
  }

  /** @param withCautions whether rules that work are included for those */
  async #inspect(
    community: Community,
    rules: readonly Rule[],
    withCautions = false,
    isFresh = true,
  ): Promise<readonly RuleProblem[]> {
    const adapter = this.#options.adapterOf(community.platform);
    const cautionsOf =
      withCautions && rules.length > 0 ? await channelCautions(adapter, community.id) : NO_CAUTIONS;
    const found: RuleProblem[] = [];
    for (const [i, [grant, ofGrant]] of [...Map.groupBy(rules, (rule) => rule.grant)].entries()) {
      const inspected = await adapter?.inspect(community.id, grant, undefined, isFresh && i === 0);
      const { blockers = [], cautions = [] } = inspected ?? {};
      const isThere = !blockers.some((it) => it === 'no-role' || it === 'no-community');
      const name = inspected && isThere ? grantNameOf(community, grant, inspected.name) : undefined;
      if (name !== undefined && ofGrant.some((rule) => rule.grantName !== name)) {
        await this.#options.store.renameGrant(community, grant, name);
      }
      const told = withCautions ? [...cautions, ...cautionsOf(grant)] : [];
      if (blockers.length + told.length === 0) continue;
      for (const each of ofGrant) {
        const rule = name === undefined ? each : { ...each, grantName: name };
        found.push({ rule, blockers, cautions: told });
      }
    }
    return found;
  }

  async #pauseAll(found: readonly RuleProblem[], by: string | undefined): Promise<void> {
    const { store } = this.#options;
    for (const { rule, blockers } of found) {
      if (rule.paused !== undefined) continue;
      const detail = keptReason({ code: 'obstacles', obstacles: blockers });
      const { community, id } = rule;
      const isPaused = await store.pauseRule(community, id, pauseReasonOf(blockers), 'active');
      if (isPaused) await this.#note(rule, 'rule-paused', by, detail);
    }
  }

  async #resume(rule: Rule, by: string | undefined): Promise<void> {
    const { store } = this.#options;
    const { community, id, paused } = rule;
    // The platform was asked meanwhile: a moderator may have paused it.
    if (await store.pauseRule(community, id, undefined, paused)) {
      await this.#note(rule, 'rule-resumed', by, '');
    }
  }

  async #note(
    { community, id }: Rule,
    event: 'rule-paused' | 'rule-resumed',
    by: string | undefined,
    detail: string,
  ): Promise<void> {
    const { store, now } = this.#options;
    await store.audit([auditRow(now(), community, event, { rule: id, by, detail })]);
  }
}

/** The refusal that a rule with these blockers would meet. */
function pauseReasonOf(blockers: readonly RuleBlocker[]): RuleRefusal {
  for (const [blocker, refusal] of REFUSED) if (blockers.includes(blocker)) return refusal;
  return 'not-allowed';
}

const REFUSED: readonly (readonly [RuleBlocker, RuleRefusal])[] = [
  ['no-community', 'no-community'],
  ['no-role', 'no-role'],
  ['managed-role', 'invalid-role'],
  ['needs-2fa', 'needs-2fa'],
];

/** Not paused by a moderator. */
function isWanted({ paused }: Rule): boolean {
  return paused === undefined || isRuleRefusal(paused);
}
