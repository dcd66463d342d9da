import type { Card } from '#core/card';
import { UserError } from '#core/errors';
import { Aftermath } from '#core/gating/aftermath';
import type { AuditRow, Run, RunCounts } from '#core/gating/audit';
import { needsOf } from '#core/gating/describe';
import type { Grant } from '#core/gating/grant';
import type { GateKeeper, Member, Obstacle } from '#core/gating/keeper';
import type { Finding } from '#core/gating/planner';
import { type Community, ENTRY, type PauseReason, RULES_MAX, type Rule } from '#core/gating/rule';
import { Runner, type RunnerOptions, type RunResult } from '#core/gating/runner';
import type { KnownMember } from '#core/gating/store';
import type { UnknownReason } from '#core/gating/verdict';
import type { Account } from '#core/links/account';
import { textsFor } from '#core/texts/index';

/** What a moderator says of a rule; the rest is added. */
export type RuleDraft = Pick<
  Rule,
  'grant' | 'requirements' | 'match' | 'chain' | 'exclusive' | 'graceSeconds'
>;

/** A rule was kept, or can't work: what stands in its way. */
export type RuleResult =
  | {
      readonly rule: Rule;
      readonly obstacles: readonly [];
      /** By which people ask to enter, where the rule is about that. */
      readonly invite: string | undefined;
    }
  | { readonly rule: undefined; readonly name: string; readonly obstacles: readonly Obstacle[] };

/** What would happen, and to whom. */
export interface Preview {
  readonly members: number;
  readonly unknown: number;
  readonly doubt: UnknownReason | undefined;
  readonly gains: readonly Finding[];
  /** Taken by the next run, if it still holds. */
  readonly losses: readonly Finding[];
  /** Below the bar, but not long enough, or warned and in their grace period. */
  readonly atRisk: readonly Finding[];
}

/** Something that an account will lose. */
export interface Warning {
  readonly rule: Rule;
  /** Seconds since 1970. */
  readonly dueAt: number;
}

/** Everything about one member. */
export interface Explanation {
  readonly member: KnownMember | undefined;
  readonly findings: readonly Finding[];
  readonly grants: readonly Grant[];
  readonly history: readonly AuditRow[];
}

export interface GatingOptions extends RunnerOptions {
  /** Undefined where it can't be told. */
  readonly knowsBadge: (id: string) => boolean | undefined;
  /** For as long as a moderator waits for a run. */
  readonly patience: () => Promise<void>;
  /** Four lower-case letters and digits, random. */
  readonly newRuleId: () => string;
}

const HISTORY = 15;

/** Rules of communities, and what moderators do with them. Who may is asked before. */
export class Gating {
  readonly runner: Runner;
  readonly aftermath: Aftermath;
  readonly #options: GatingOptions;

  constructor(options: GatingOptions) {
    this.#options = options;
    this.runner = new Runner(options);
    this.aftermath = new Aftermath(this.runner, options);
  }

  /** @throws UserError `gate-limit`, `gate-unknown-badge` */
  async add(community: Community, draft: RuleDraft, by: string): Promise<RuleResult> {
    const { store, now, newRuleId } = this.#options;
    const rules = await store.rulesOf(community);
    if (rules.length >= RULES_MAX) {
      throw new UserError('gate-limit', `There are ${RULES_MAX} rules here, which is the most.`);
    }
    let id = newRuleId();
    while (rules.some((rule) => rule.id === id)) id = newRuleId();
    const base = { ...draft, id, community, createdBy: by, createdAt: now(), paused: undefined };
    return this.#keep({ ...base, grantName: '' }, by, 'rule-added');
  }

  /** @throws UserError `gate-unknown-rule`, `gate-unknown-badge` */
  async edit(
    community: Community,
    id: string,
    draft: Partial<RuleDraft>,
    by: string,
  ): Promise<RuleResult> {
    const rule = await this.rule(community, id);
    return this.#keep({ ...rule, ...draft }, by, 'rule-changed');
  }

  async #keep(rule: Rule, by: string, event: AuditRow['event']): Promise<RuleResult> {
    const { store, knowsBadge } = this.#options;
    for (const each of rule.requirements) {
      if (each.kind === 'badge' && knowsBadge(each.badge) === false) {
        throw new UserError('gate-unknown-badge', `There is no badge with the id ${each.badge}.`);
      }
    }
    const keeper = this.#keeper(rule.community);
    const { name, obstacles } = await keeper.inspect(rule.community.id, rule.grant);
    if (obstacles.length > 0) return { rule: undefined, name, obstacles };
    const named = { ...rule, grantName: name };
    await store.putRule(named);
    await this.#note(rule.community, event, {
      rule: rule.id,
      by,
      detail: needsOf(rule, textsFor(undefined)),
    });
    const invite = rule.grant === ENTRY ? await keeper.invite(rule.community.id) : undefined;
    return { rule: named, obstacles: [], invite };
  }

  /** What it gave stays where it is. @throws UserError `gate-unknown-rule` */
  async remove(community: Community, id: string, by: string): Promise<Rule> {
    const rule = await this.rule(community, id);
    await this.#options.store.removeRule(rule);
    await this.#note(community, 'rule-removed', { rule: id, by });
    return rule;
  }

  /** @throws UserError `gate-unknown-rule` */
  async pause(
    community: Community,
    id: string,
    paused: PauseReason | undefined,
    by: string,
  ): Promise<Rule> {
    const rule = { ...(await this.rule(community, id)), paused };
    await this.#options.store.pauseRule(community, rule.id, paused);
    await this.#note(community, paused === undefined ? 'rule-resumed' : 'rule-paused', {
      rule: id,
      by,
    });
    return rule;
  }

  async protect(community: Community, account: string, on: boolean, by: string): Promise<void> {
    const { store } = this.#options;
    await store.noteMembers(community, [account]);
    await store.protect(community, account, on);
    await this.#note(community, on ? 'protected' : 'unprotected', { account, by });
  }

  /** @returns false, with nothing changed, if nothing can be written there */
  async setLogChannel(
    community: Community,
    channel: string | undefined,
    greeting: Card,
    by: string,
  ): Promise<boolean> {
    const { store } = this.#options;
    if (channel !== undefined) {
      if (!(await this.#keeper(community).report(community.id, channel, greeting))) return false;
    }
    await store.putSettings(community, { logChannel: channel });
    await this.#note(community, 'log-channel', { by, detail: channel ?? 'none' });
    return true;
  }

  async rulesOf(community: Community): Promise<readonly Rule[]> {
    return await this.#options.store.rulesOf(community);
  }

  async logChannelOf(community: Community): Promise<string | undefined> {
    return (await this.#options.store.settingsOf(community)).logChannel;
  }

  /** What the next run would do. Nothing is changed or remembered. */
  async preview(community: Community): Promise<Preview> {
    const { planner } = this.runner;
    const basis = await planner.basis(community, await this.runner.activeRules(community));
    let members = 0;
    let unknown = 0;
    const findings: Finding[] = [];
    for await (const page of planner.all(community, basis)) {
      members += page.members;
      unknown += page.unknown;
      findings.push(...page.findings);
    }
    return {
      members,
      unknown,
      doubt: basis.doubt,
      gains: findings.filter(({ step }) => step === 'give'),
      losses: findings.filter(({ step }) => step === 'take'),
      atRisk: findings.filter(({ step, verdict }) => verdict.answer === 'lacks' && step !== 'take'),
    };
  }

  /**
   * Begins a run, and waits for it a little.
   * @returns `under way` when it takes longer, undefined when another one is, or no rule works
   */
  async run(community: Community, by: string): Promise<RunResult | 'under way' | undefined> {
    const { log, patience } = this.#options;
    const pass = this.runner.pass(community, 'moderator', by);
    // It may fail when nobody waits any more.
    pass.catch((err: unknown) => log.warn({ err }, 'a run that a moderator began has failed'));
    return await Promise.race([pass, patience().then(() => 'under way' as const)]);
  }

  undo(community: Community, by: string): Promise<RunCounts | undefined> {
    return this.aftermath.undo(community, by);
  }

  /** @throws UserError `gate-nothing` when it does not wait for that any more */
  async confirm(community: Community, runId: string, by: string): Promise<RunCounts> {
    const runs = await this.#options.store.runsOf(community, 50);
    const run = runs.find(({ id, status }) => id === runId && status === 'held');
    const counts = run && (await this.aftermath.confirm(run, by));
    if (counts !== undefined) return counts;
    throw new UserError('gate-nothing', 'This run does not wait for an answer any more.');
  }

  /**
   * Takes from an account what rules gave it: it is about to be forgotten, and nobody would know
   * later that it was given.
   * @throws RetryableError when the platform can't be asked now
   */
  async release({ platform, id }: Account): Promise<void> {
    const { store, now } = this.#options;
    for (const community of await store.communitiesOf(platform, id)) {
      const rules = await store.rulesOf(community);
      for (const { rule: ruleId, holds } of await store.grantsOf(community, [id])) {
        const rule = rules.find((each) => each.id === ruleId);
        if (rule === undefined || holds !== 'ours') continue;
        const detail = 'the member had everything erased';
        const about = { at: now(), community, run: undefined, rule: ruleId, account: id };
        await store.audit([{ ...about, event: 'take-begun', by: undefined, detail }]);
        const outcome = await this.#keeper(community).take(community.id, id, rule.grant, detail);
        const event = outcome === 'done' ? 'taken' : 'skipped';
        await store.audit([{ ...about, event, by: undefined, detail }]);
      }
    }
  }

  async why(community: Community, account: string): Promise<Explanation> {
    const { store } = this.#options;
    const { planner } = this.runner;
    const rules = await store.rulesOf(community);
    const found = await store.member(community, account);
    const member = found ?? { account, isProtected: false, wallets: [] };
    const basis = await planner.basis(community, rules);
    return {
      member: found,
      findings: await planner.explain(community, basis, member),
      grants: await store.grantsOf(community, [account]),
      history: await store.logOf(community, account, HISTORY, 0),
    };
  }

  /** What an account will lose if its wallets stay as they are. */
  async warningsOf({ platform, id }: Account): Promise<readonly Warning[]> {
    const { store } = this.#options;
    const warnings: Warning[] = [];
    for (const community of await store.communitiesOf(platform, id)) {
      const due = (await store.grantsOf(community, [id])).filter(
        ({ dueAt }) => dueAt !== undefined,
      );
      if (due.length === 0) continue;
      const rules = await this.runner.activeRules(community);
      for (const { rule: ruleId, dueAt } of due) {
        const rule = rules.find((each) => each.id === ruleId);
        if (rule !== undefined && dueAt !== undefined) warnings.push({ rule, dueAt });
      }
    }
    return warnings;
  }

  /** Newest first, each change once. */
  async log(community: Community, limit: number, offset: number): Promise<readonly AuditRow[]> {
    return await this.#options.store.logOf(community, undefined, limit, offset);
  }

  /** Newest first. */
  async runsOf(community: Community, limit: number): Promise<readonly Run[]> {
    return await this.#options.store.runsOf(community, limit);
  }

  /** @throws UserError `gate-unknown-rule` */
  async rule(community: Community, id: string): Promise<Rule> {
    const rules = await this.#options.store.rulesOf(community);
    const rule = rules.find((each) => each.id === id.toLowerCase());
    if (rule === undefined) {
      throw new UserError('gate-unknown-rule', `There is no rule ${id}. /gate list shows them.`);
    }
    return rule;
  }

  member(community: Community, account: string): Promise<Member | undefined> {
    return this.#keeper(community).member(community.id, account);
  }

  #keeper(community: Community): GateKeeper {
    const keeper = this.#options.keeperOf(community.platform);
    if (keeper === undefined) {
      throw new UserError('gate-not-here', 'Gating works in Discord servers and Telegram groups.');
    }
    return keeper;
  }

  async #note(
    community: Community,
    event: AuditRow['event'],
    about: Partial<Pick<AuditRow, 'rule' | 'account' | 'by' | 'detail'>>,
  ): Promise<void> {
    const { store, now } = this.#options;
    await store.audit([
      {
        at: now(),
        community,
        event,
        run: undefined,
        rule: about.rule,
        account: about.account,
        by: about.by,
        detail: about.detail ?? '',
      },
    ]);
  }
}
