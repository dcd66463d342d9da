import { RetryableError, sanitizeText, UserError } from '#base';
import type { Replica } from '#cluster';
import { accountIdIn } from '#command';
import type { CommunityAdapter, Inspection, RuleBlocker } from '#gating/community-adapter';
import { keptReason } from '#gating/decide/reason';
import type { Decisions } from '#gating/decisions';
import type { Bars } from '#gating/members/bars/bars';
import type { HandChanges } from '#gating/members/bars/hand-changes';
import type { Invites } from '#gating/members/entry/invites';
import { type AuditRow, auditRow } from '#gating/reports/audit';
import type { RuleResult } from '#gating/result';
import { rulesClaim } from '#gating/runs/claims';
import type { GateStore } from '#gating/store';
import type { ReputationSource } from '#reputation';
import { channelCautions } from './channel-power.ts';
import { namedRule } from './describe.ts';
import type { RoleRights } from './role-rights.ts';
import {
  asksTheSame,
  type Community,
  ENTRY,
  grantNameOf,
  isImpossible,
  isSameDraft,
  RULES_MAX,
  type Rule,
  type RuleDraft,
  type RuleEdit,
} from './rule.ts';
import { isSameRoleName, plainName } from './tier-of-role.ts';

export interface RuleChangesOptions {
  readonly store: GateStore;
  readonly replica: Pick<Replica, 'inTurn'>;
  readonly source: Pick<ReputationSource, 'badgeWithId'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** Seconds since 1970. */
  readonly now: () => number;
  readonly invites: Pick<Invites, 'of'>;
  readonly hands: Pick<HandChanges, 'beforeRules'>;
  readonly bars: Pick<Bars, 'inherit' | 'outlive'>;
  readonly rights: Pick<RoleRights, 'requireFor'>;
  readonly decisions: Decisions;
  /** Undefined if unknown. */
  readonly knowsBadge: (id: string) => boolean | undefined;
  /** Four lower-case letters and digits, random. */
  readonly newRuleId: () => string;
  /** A rule has new requirements, or is active again. */
  readonly onRulesChanged: (community: Community) => void;
  readonly signal: AbortSignal;
}

/** What moderators do with rules, each with its row of the audit log. */
export class RuleChanges {
  readonly #options: RuleChangesOptions;

  constructor(options: RuleChangesOptions) {
    this.#options = options;
  }

  /**
   * @param chosen its id, by which the caller knows it again, also beside a rule that asks for the same; a new one by
   *   default
   * @throws UserError `gate-limit`, `gate-same-rule`, `gate-unknown-badge`, `gate-impossible`;
   *   RetryableError if others are adding rules for too long
   */
  async add(
    community: Community,
    draft: RuleDraft,
    by: string,
    chosen?: string,
  ): Promise<RuleResult> {
    const { store, replica, now, newRuleId, signal } = this.#options;
    // Two moderators at once would make the same rule twice, or one too many.
    return await replica.inTurn(rulesClaim(community), signal, async ({ isHeld }) => {
      const rules = await store.rulesOf(community);
      if (rules.length >= RULES_MAX) {
        throw new UserError(
          'gate-limit',
          `There are ${RULES_MAX} rules here already, the maximum.`,
        );
      }
      // People type an example again; a second rule would only stand beside the first one.
      const same = rules.find((rule) => asksTheSame(rule, draft));
      if (same !== undefined && chosen === undefined) {
        throw new UserError('gate-same-rule', 'It is there already.', [], { values: [same.id] });
      }
      await this.#options.hands.beforeRules(community, rules.length === 0);
      let id = chosen ?? newRuleId();
      while (rules.some((rule) => rule.id === id)) id = newRuleId();
      const base = { ...draft, id, community, createdBy: by, createdAt: now(), paused: undefined };
      let hasNamesake = false;
      const result = await this.#keep(
        { ...base, grantName: '' },
        by,
        'rule-added',
        async (rule) => {
          const { grant, grantName: name } = rule;
          // Before it gives anything.
          hasNamesake = await this.#options.bars.inherit(community, { grant, name }, by);
          if (!(await isHeld())) throw new RetryableError('Another replica adds rules here.');
          await store.putRule(rule);
          return rule;
        },
      );
      if (result.rule === undefined || !hasNamesake) return result;
      return { ...result, cautions: [...result.cautions, 'barred-namesake'] };
    });
  }

  /**
   * Changes a rule's requirements, not what it grants. A running run skips what it planned by the
   * old version.
   * @param edit computed from the rule at the moment of the change, so that concurrent edits aren't
   *   lost
   * @throws UserError `gate-unknown-rule`, `gate-rule-by-name`, `gate-same-edit`, `gate-unknown-badge`, `gate-impossible`
   */
  async edit(
    community: Community,
    id: string,
    edit: RuleEdit | ((rule: Rule) => RuleEdit),
    by: string,
  ): Promise<RuleResult> {
    const edited = (rule: Rule) => ({
      ...rule,
      ...(typeof edit === 'function' ? edit(rule) : edit),
    });
    const rule = await this.#rule(community, id);
    // Its readings would be counted from the start, and the log would tell of a change.
    if (isSameDraft(rule, edited(rule))) {
      throw new UserError('gate-same-edit', 'Nothing would change.', [], { values: [rule.id] });
    }
    let was = rule;
    const write = async ({ grantName }: Rule) => {
      // A rule removed meanwhile isn't restored, nor a paused one resumed.
      const changed = await this.#options.store.changeRule(community, rule.id, (current) => {
        was = current;
        return { ...edited(current), grantName };
      });
      if (changed === undefined) throw unknownRule(rule.id);
      return changed;
    };
    const detail = (is: Rule) => this.#editDetail(was, is);
    return this.#keep(edited(rule), by, 'rule-changed', write, detail);
  }

  /** @param write returns the rule as stored */
  async #keep(
    rule: Rule,
    by: string,
    event: AuditRow['event'],
    write: (rule: Rule) => Promise<Rule>,
    detail = (named: Rule) => this.#needsDetail(named),
  ): Promise<RuleResult> {
    const { knowsBadge, source } = this.#options;
    const badges = rule.requirements.flatMap((it) => (it.kind === 'badge' ? [it.badge] : []));
    for (const badge of badges.filter((each) => knowsBadge(each) === false)) {
      throw new UserError('gate-unknown-badge', `There is no badge with the id ${badge}.`);
    }
    const uncheckedBadges = badges.filter(
      (each) => knowsBadge(each) === undefined && source.badgeWithId?.(each) === undefined,
    );
    if (isImpossible(rule)) {
      throw new UserError('gate-impossible', 'Nobody can have that: the bound excludes it.');
    }
    const { name, blockers, cautions } = await this.#inspect(rule, by);
    if (blockers.length > 0) return refused(rule, name, blockers);
    const named = await write({
      ...rule,
      grantName: grantNameOf(rule.community, rule.grant, name),
    });
    await noteDecision(this.#options, rule.community, event, {
      rule: rule.id,
      by,
      detail: detail(named),
    });
    this.#options.onRulesChanged(rule.community);
    const invite = await this.#inviteOf(rule);
    return { rule: named, blockers: [], cautions, invite, uncheckedBadges };
  }

  /** Members keep what it granted. @throws UserError `gate-unknown-rule`, `gate-role-above` */
  async remove(community: Community, id: string, by: string): Promise<Rule> {
    const known = await this.#rule(community, id);
    await this.#options.rights.requireFor(community, [known.grant], by);
    await this.#options.hands.beforeRules(community, false);
    await this.#options.bars.outlive(known);
    // Others may have edited or removed it meanwhile: the log tells what was removed, and once.
    const rule = await this.#options.store.removeRule(community, known.id);
    if (rule === undefined) throw unknownRule(known.id);
    const detail = this.#needsDetail(rule);
    await noteDecision(this.#options, community, 'rule-removed', { rule: rule.id, by, detail });
    return rule;
  }

  /** Adds a removed rule as it was, whatever prevents it now. Members' grants by it are forgotten. */
  async putBack(rule: Rule, by: string): Promise<void> {
    await this.#options.store.putRule(rule);
    const detail = this.#needsDetail(rule);
    await noteDecision(this.#options, rule.community, 'rule-added', { rule: rule.id, by, detail });
  }

  /** @throws UserError `gate-unknown-rule` */
  async pause(community: Community, id: string, by: string): Promise<Rule> {
    const { id: known } = await this.#rule(community, id);
    return await this.#options.decisions.make(community, known, async () => {
      const rule = await this.#rule(community, known);
      if (rule.paused === 'moderator') return rule;
      const paused = await this.#setPause(rule, 'moderator');
      await noteDecision(this.#options, community, 'rule-paused', { rule: rule.id, by });
      return paused;
    });
  }

  /**
   * Resumes a paused rule, unless something prevents it now, or somebody pauses it meanwhile.
   * @throws UserError `gate-unknown-rule`, `gate-decided-since`
   */
  async unpause(community: Community, id: string, by: string): Promise<RuleResult> {
    const rule = await this.#rule(community, id);
    return await this.#options.decisions.make(
      community,
      rule.id,
      async (requireLast) => await this.#unpause(rule, by, requireLast),
      ({ blockers }) => blockers.length > 0,
    );
  }

  async #unpause(before: Rule, by: string, requireLast: () => Promise<void>): Promise<RuleResult> {
    const { community } = before;
    const rule = { ...before, paused: undefined };
    const { name, blockers, cautions } = await this.#inspect(rule, by);
    if (blockers.length > 0) return refused(rule, name, blockers);
    const invite = await this.#inviteOf(rule);
    await requireLast();
    if (before.paused === undefined) return { rule, blockers: [], cautions, invite };
    const resumed = await this.#setPause(rule, undefined);
    await noteDecision(this.#options, community, 'rule-resumed', { rule: rule.id, by });
    this.#options.onRulesChanged(community);
    return { rule: resumed, blockers: [], cautions, invite };
  }

  /** @returns the rule with what others have changed meanwhile. @throws UserError `gate-unknown-rule` */
  async #setPause({ community, id }: Rule, paused: 'moderator' | undefined): Promise<Rule> {
    if (!(await this.#options.store.pauseRule(community, id, paused))) throw unknownRule(id);
    return { ...(await this.#rule(community, id)), paused };
  }

  /** The link by which people request what a rule decides; undefined if it's about a role. */
  async #inviteOf({ community, grant }: Rule): Promise<string | undefined> {
    return grant === ENTRY ? await this.#options.invites.of(community) : undefined;
  }

  /** What prevents a rule that a moderator wants from working. */
  async #inspect({ community, grant }: Rule, by: string): Promise<Required<Inspection>> {
    const adapter = requireAdapter(this.#options, community);
    const [{ name, blockers, cautions = [] }, cautionsOf] = await Promise.all([
      adapter.inspect(community.id, grant, accountIdIn(by)),
      channelCautions(adapter, community.id),
    ]);
    return { name, blockers, cautions: [...cautions, ...cautionsOf(grant)] };
  }

  /** @throws UserError `gate-unknown-rule`, `gate-rule-by-name` */
  async #rule(community: Community, id: string): Promise<Rule> {
    const rules = await this.#options.store.rulesOf(community);
    // Phones add a full stop, and people copy what's around it.
    const text = id.replace(LABEL, '');
    const plain = text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    const rule = rules.find((each) => each.id === plain || isListedAs(each, text));
    if (rule !== undefined) return rule;
    const named = rules.filter((each) => isNamedAfter(each, id));
    throw named[0] === undefined ? unknownRule(id) : namedAfter(named[0], named);
  }

  /** What a rule grants and asks for, as the audit log keeps it: it may be removed, and badges may get other names. */
  #needsDetail(rule: Rule): string {
    const { source } = this.#options;
    const { grantName: name, requirements, match, chain, bounds } = namedRule(rule, source);
    return keptReason({ code: 'needs', name, requirements, match, chain, bounds });
  }

  #editDetail(before: Rule, after: Rule): string {
    const kept = (rule: Rule) => {
      const { requirements, match, chain, bounds, ...rest } = namedRule(rule, this.#options.source);
      const { graceSeconds, exclusive, isHidden } = rest;
      return { requirements, match, chain, bounds, graceSeconds, exclusive, isHidden };
    };
    return keptReason({
      code: 'edit',
      name: after.grantName,
      was: kept(before),
      is: kept(after),
    });
  }
}

/** @throws UserError `gate-not-here` if the platform has nothing to grant */
export function requireAdapter(
  { adapterOf }: Pick<RuleChangesOptions, 'adapterOf'>,
  community: Community,
): CommunityAdapter {
  const adapter = adapterOf(community.platform);
  if (adapter === undefined) {
    throw new UserError('gate-not-here', 'Gating works in Discord servers and Telegram groups.');
  }
  return adapter;
}

/** @param name what the platform calls what it grants: of what is gone, its id */
function refused(
  { grant, grantName }: Rule,
  name: string,
  blockers: readonly RuleBlocker[],
): RuleResult {
  return { rule: undefined, name: name === grant ? grantName || name : name, blockers };
}

/** What a decision was about. */
export type DecisionDetails = Partial<Pick<AuditRow, 'rule' | 'account' | 'by' | 'detail'>>;

/** Records in the audit log what a moderator has decided. */
export async function noteDecision(
  { store, now }: Pick<RuleChangesOptions, 'store' | 'now'>,
  community: Community,
  event: AuditRow['event'],
  details: DecisionDetails,
): Promise<void> {
  await store.audit([auditRow(now(), community, event, details)]);
}

/** What people put before an id. */
const LABEL = /^\W*(?:id|rule|regla)\s*[:：=#]\s*/iu;
/** `Whales (dw9m)` */
const WITH_ID = /^(.+)[(（]\s*([a-z0-9]+)\s*[)）]/iu;

/** Whether a text begins as it's written in `/gate list`: with its id and what it gives, or the other way round. */
function isListedAs({ id, grantName }: Rule, text: string): boolean {
  const name = plainName(grantName);
  const [, given = '', its] = WITH_ID.exec(text) ?? [];
  const isBehind = its?.toLowerCase() === id && plainName(given) === name;
  return isBehind || (name !== '' && plainName(text).startsWith(`${id}${name}`));
}

/** @param text a role's name or mention, or its id */
function isNamedAfter({ grant, grantName }: Rule, text: string): boolean {
  return text.replaceAll(/\D/g, '') === grant || isSameRoleName(grantName, text);
}

function namedAfter({ grantName }: Rule, rules: readonly Rule[]): UserError {
  const ids = rules.map(({ id }) => id).join(', ');
  return new UserError('gate-rule-by-name', `It goes by its id: ${ids}.`, [], {
    values: [sanitizeText(grantName), ids],
  });
}

function unknownRule(id: string): UserError {
  return new UserError('gate-unknown-rule', `There is no rule ${id}. /gate list shows them.`, [], {
    values: [sanitizeText(id)],
  });
}
