import { RetryableError } from '#core/errors';
import type { GateKeeper, Obstacle } from '#core/gating/keeper';
import { isActive, type PassCriteria } from '#core/gating/planner';
import { isRuleRefusal } from '#core/gating/refusals';
import type { RuleTrouble } from '#core/gating/result';
import { type Community, isEntry, type Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import { accountIdIn } from '#core/links/account';

export interface TroublesOptions {
  readonly store: GateStore;
  readonly keeperOf: (platform: Community['platform']) => GateKeeper | undefined;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/** Finds what prevents rules from working on the platform, by asking it anew. */
export class Troubles {
  readonly #options: TroublesOptions;

  constructor(options: TroublesOptions) {
    this.#options = options;
  }

  /**
   * Checks all rules that should work. Resumes those paused by the platform if nothing prevents
   * them any more, and pauses those that something prevents before they're tried.
   * @param by the moderator who asks: rules they may not resume stay paused
   */
  async lookAt(community: Community, by: string | undefined): Promise<readonly RuleTrouble[]> {
    const { store } = this.#options;
    const rules = (await store.rulesOf(community)).filter(isWanted);
    const found = [...(await this.#inspect(community, rules))];
    const troubled = new Set(found.map(({ rule }) => rule.id));
    for (const rule of rules) {
      const isFree = !troubled.has(rule.id);
      if (isFree && rule.paused !== undefined) {
        const obstacles = await this.#obstaclesFor(rule, by);
        if (obstacles.length > 0) found.push({ rule, obstacles });
        else await this.#set(rule, undefined, by);
      }
      if (!isFree && rule.paused === undefined) await this.#set(rule, 'not-allowed', by);
    }
    return found;
  }

  /**
   * Pauses active rules that something prevents now: a role may have gained permissions over
   * others. None if the platform is unavailable now.
   */
  async pause(community: Community): Promise<readonly RuleTrouble[]> {
    const rules = (await this.#options.store.rulesOf(community)).filter(isActive);
    const found = await this.#quietly(community, rules);
    for (const { rule } of found) await this.#set(rule, 'not-allowed', undefined);
    return found;
  }

  /**
   * What prevents rules that the platform had refused, and entry rules, which it refuses all at
   * once. Changes nothing.
   */
  async shown(community: Community): Promise<readonly RuleTrouble[]> {
    const rules = (await this.#options.store.rulesOf(community)).filter(isWanted);
    const isDoubtful = (rule: Rule) => rule.paused !== undefined || isEntry(rule);
    return await this.#quietly(community, rules.filter(isDoubtful));
  }

  /** Checks rules that the platform has paused since a run was planned. */
  async since(community: Community, basis: PassCriteria): Promise<readonly RuleTrouble[]> {
    const now = await this.#options.store.rulesOf(community);
    const planned = new Set(basis.rules.map(({ id }) => id));
    const isNew = (rule: Rule) => planned.has(rule.id) && rule.paused !== undefined;
    return await this.#quietly(community, now.filter(isNew).filter(isWanted));
  }

  /** What prevents rules for any of these roles, paused or not. Changes nothing. */
  async ofGrants(
    community: Community,
    grants: ReadonlySet<string>,
  ): Promise<readonly RuleTrouble[]> {
    const rules = await this.#options.store.rulesOf(community);
    return await this.#quietly(
      community,
      rules.filter(({ grant }) => grants.has(grant)),
    );
  }

  /** What prevents a moderator from resuming a rule. */
  async #obstaclesFor(
    { community, grant }: Rule,
    by: string | undefined,
  ): Promise<readonly Obstacle[]> {
    if (by === undefined) return [];
    const keeper = this.#options.keeperOf(community.platform);
    const inspected = await keeper?.inspect(community.id, grant, accountIdIn(by), false);
    return inspected?.obstacles ?? [];
  }

  /** If the platform is unavailable, at least report that rules are paused. */
  async #quietly(community: Community, rules: readonly Rule[]): Promise<readonly RuleTrouble[]> {
    try {
      return await this.#inspect(community, rules);
    } catch (error) {
      if (error instanceof RetryableError) return [];
      throw error;
    }
  }

  async #inspect(community: Community, rules: readonly Rule[]): Promise<readonly RuleTrouble[]> {
    const keeper = this.#options.keeperOf(community.platform);
    const found: RuleTrouble[] = [];
    for (const [i, [grant, its]] of [...Map.groupBy(rules, (rule) => rule.grant)].entries()) {
      const inspected = await keeper?.inspect(community.id, grant, undefined, i === 0);
      const { obstacles } = inspected ?? { obstacles: [] };
      if (obstacles.length > 0) found.push(...its.map((rule) => ({ rule, obstacles })));
    }
    return found;
  }

  async #set(rule: Rule, paused: 'not-allowed' | undefined, by: string | undefined): Promise<void> {
    const { store, now } = this.#options;
    const { community, id } = rule;
    await store.pauseRule(community, id, paused);
    const event = paused === undefined ? 'rule-resumed' : 'rule-paused';
    const about = { run: undefined, rule: id, account: undefined, by, detail: paused ?? '' };
    await store.audit([{ at: now(), community, event, ...about }]);
  }
}

/** Not paused by a moderator. */
function isWanted({ paused }: Rule): boolean {
  return paused === undefined || isRuleRefusal(paused);
}
