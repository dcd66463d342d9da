import { UserError } from '#base';
import { type Account, type Card, noteCard } from '#command';
import { Announcing } from './announce/announcing.ts';
import { type ChoicesOptions, CommunityChoices } from './choices.ts';
import type { CommunityAdapter, Member, ReportRefusal } from './community-adapter.ts';
import { composeGating, type GatingParts, type PartsOptions } from './compose-gating.ts';
import { keptReason } from './decide/reason.ts';
import { Decisions } from './decisions.ts';
import { communityTexts } from './language.ts';
import type { MemberAccess } from './members/access.ts';
import type { Barring } from './members/bars/barring.ts';
import type { HandChanges } from './members/bars/hand-changes.ts';
import type { Admissions, Invites } from './members/entry/invites.ts';
import { type Warning, warningsOf } from './members/warnings.ts';
import { Panels, type PanelsOptions } from './panel/panels.ts';
import { UnknownAccount } from './platform.ts';
import { whyClosed } from './post-once.ts';
import { type AuditRow, canBeConfirmed, type Run } from './reports/audit.ts';
import type { Explanation } from './reports/explanations.ts';
import { countHeld } from './reports/held.ts';
import type { ModeratorReports } from './reports/moderator-reports.ts';
import type { Preview } from './reports/preview.ts';
import type { RuleProblem, RuleResult, RunResult } from './result.ts';
import { namedRule } from './rules/describe.ts';
import type { Implausible } from './rules/implausible.ts';
import { type Community, isSame, type Rule, type RuleDraft, type RuleEdit } from './rules/rule.ts';
import {
  type DecisionDetails,
  noteDecision,
  RuleChanges,
  type RuleChangesOptions,
  requireAdapter,
} from './rules/rule-changes.ts';
import type { Planner } from './runs/planner.ts';
import type { SetupPlaces } from './setup/plan.ts';
import { Setup } from './setup/setup.ts';
import type { UndoQuestion } from './undo/undo-target.ts';
import type { UndoResult } from './undo/undoing.ts';

export type GatingOptions = PartsOptions &
  Omit<RuleChangesOptions, 'invites' | 'hands' | 'bars' | 'rights' | 'decisions'> &
  Pick<PanelsOptions, 'replica'> &
  Omit<ChoicesOptions, 'rights' | 'decisions'>;

/** The rules of communities, and what moderators can do with them. Callers check permissions. */
export class Gating {
  readonly #options: GatingOptions;
  readonly #parts: GatingParts;
  readonly #rules: RuleChanges;
  readonly #decisions = new Decisions();
  readonly choices: CommunityChoices;
  readonly setup: Setup;
  readonly announcing: Announcing;
  readonly panels: Panels;

  constructor(options: GatingOptions) {
    this.#options = options;
    this.#parts = composeGating(options);
    const { hands, invites, bars, rights } = this.#parts;
    const decisions = this.#decisions;
    this.#rules = new RuleChanges({ ...options, invites, hands, bars, rights, decisions });
    const textsOf = communityTexts(options.adapterOf, options.store);
    this.choices = new CommunityChoices({ ...options, rights, decisions });
    this.announcing = new Announcing(options);
    this.panels = new Panels({ ...options, textsOf, decisions });
    this.setup = new Setup({
      ...{ ...options, rules: this.#rules, panels: this.panels, rights, textsOf },
      setLadder: (...given) => this.setLadder(...given),
      setChannel: async (community, channel, by) => {
        const { gate } = await textsOf(community);
        const greeting = {
          ...noteCard('plain', gate.channelTitle, gate.channelGreeting),
          private: false,
        };
        return await this.setLogChannel(community, channel, greeting, by);
      },
      note: async (community, event, by) => await this.#note(community, event, { by }),
    });
  }

  /** A rule for people to read. */
  named(rule: Rule): Rule {
    return namedRule(rule, this.#options.source);
  }

  get reports(): ModeratorReports {
    return this.#parts.reports;
  }

  get barring(): Barring {
    return this.#parts.barring;
  }

  get hands(): HandChanges {
    return this.#parts.hands;
  }

  get admissions(): Admissions {
    return this.#parts.admissions;
  }

  get invites(): Invites {
    return this.#parts.invites;
  }

  get planner(): Planner {
    return this.#parts.planner;
  }

  /** What members can get, for themselves. */
  get access(): MemberAccess {
    return this.#parts.access;
  }

  /** See `RuleChanges`. */
  add(community: Community, draft: RuleDraft, by: string): Promise<RuleResult> {
    return this.#rules.add(community, draft, by);
  }

  edit(
    community: Community,
    id: string,
    edit: RuleEdit | ((rule: Rule) => RuleEdit),
    by: string,
  ): Promise<RuleResult> {
    return this.#rules.edit(community, id, edit, by);
  }

  remove(community: Community, id: string, by: string): Promise<Rule> {
    return this.#rules.remove(community, id, by);
  }

  pause(community: Community, id: string, by: string): Promise<Rule> {
    return this.#rules.pause(community, id, by);
  }

  unpause(community: Community, id: string, by: string): Promise<RuleResult> {
    return this.#rules.unpause(community, id, by);
  }

  /**
   * @returns false if it was so before
   * @throws UserError `gate-no-member` if they aren't a member, `gate-unknown-account` if the platform knows
   *   nobody by that id: figures of strangers are private; `gate-roles-above`, `gate-decided-since`
   */
  async protect(community: Community, account: string, on: boolean, by: string): Promise<boolean> {
    return await this.#decisions.make(community, `protect ${account}`, async (requireLast) => {
      await this.#parts.rights.requireForAll(community, by);
      if (on) await this.#requireMember(community, account);
      await requireLast();
      if (!(await this.#options.store.protect(community, account, on))) return false;
      await this.#note(community, on ? 'protected' : 'unprotected', { account, by });
      return true;
    });
  }

  async #requireMember(community: Community, account: string): Promise<void> {
    const member = await this.member(community, account).catch((error: unknown) => {
      throw error instanceof UnknownAccount ? unknownAccount(error) : error;
    });
    if (member !== undefined) return;
    throw new UserError('gate-no-member', "This account isn't a member of the community.");
  }

  /** @returns false, with nothing changed, if the bot can't post there */
  async setLogChannel(
    community: Community,
    channel: string | undefined,
    greeting: Card | undefined,
    by: string,
  ): Promise<true | ReportRefusal> {
    const set = async (requireLast: () => Promise<void>) => {
      if (channel !== undefined && greeting !== undefined) {
        const written = await this.#adapterOf(community).report(community.id, channel, greeting);
        if (written !== true) return written;
      }
      await requireLast();
      if ((await this.logChannelOf(community)) === channel) return true;
      await this.#options.store.putSettings(community, { logChannel: channel });
      await this.#note(community, 'log-channel', {
        by,
        detail: channel ?? keptReason({ code: 'no-channel' }),
      });
      return true;
    };
    return await this.#decisions.make(community, 'channel', set, (written) => written !== true);
  }

  /** See `CommunityChoices.setLadder`. */
  setLadder(community: Community, isOn: boolean, by: string): Promise<void> {
    return this.choices.setLadder(community, isOn, by);
  }

  async isLadder(community: Community): Promise<boolean> {
    return (await this.#options.store.settingsOf(community)).isLadder === true;
  }

  /** See `Setup.carryOut`. @returns `under way` if it takes longer than someone would wait */
  async setUp(community: Community, by: string, places: SetupPlaces, isNew: boolean) {
    return await this.#patiently(this.setup.carryOut(community, by, places, isNew));
  }

  /** See `Setup.undo`. */
  async undoSetup(community: Community, by: string) {
    return await this.#patiently(this.setup.undo(community, by));
  }

  async rulesOf(community: Community): Promise<readonly Rule[]> {
    return await this.#options.store.rulesOf(community);
  }

  /** See `RuleBlockers.shown`. */
  problemsOf(community: Community): Promise<readonly RuleProblem[]> {
    return this.#parts.blockers.shown(community);
  }

  /** Reads what moderators gave and took by hand, where the platform doesn't report it; waits briefly. */
  async hear(community: Community): Promise<void> {
    await this.#patiently(this.#parts.hands.beforeShown(community));
  }

  /** Counts pending join requests. */
  async countWaiting(community: Community): Promise<number> {
    return await this.#options.store.countApplicants(community);
  }

  async logChannelOf(community: Community): Promise<string | undefined> {
    return (await this.#options.store.settingsOf(community)).logChannel;
  }

  /** Why nothing could be posted now in the channel where reports go, as far as the platform says. */
  async logClosed(community: Community): Promise<ReportRefusal | undefined> {
    const channel = await this.logChannelOf(community);
    if (channel === undefined) return undefined;
    return await whyClosed(this.#options.adapterOf(community.platform), community, channel);
  }

  /** What a run of this moderator's would do now. Changes nothing. */
  async preview(community: Community, by?: string): Promise<Preview> {
    await this.hear(community);
    return await this.#parts.previews.preview(community, by);
  }

  /** One scheduled pass over all members. */
  async sweep(community: Community): Promise<RunResult | undefined> {
    return await this.#pass(community, 'sweep', undefined);
  }

  /**
   * Begins a run, and waits for it briefly.
   * @returns `under way` if it takes longer; undefined if another run is active or no rule works
   */
  async run(community: Community, by: string): Promise<RunResult | 'under way' | undefined> {
    return await this.#patiently(this.#pass(community, 'moderator', by));
  }

  /** Interrupted runs come first. */
  async #pass(
    community: Community,
    cause: 'sweep' | 'moderator',
    by: string | undefined,
  ): Promise<RunResult | undefined> {
    const { recovery, passes } = this.#parts;
    if (await recovery.resumeIn(community)) return undefined;
    return await passes.pass(community, cause, by);
  }

  /** Waits as long as someone who asks would; slower work continues on its own. */
  async #patiently<T>(work: Promise<T>): Promise<T | 'under way'> {
    const { log, patience } = this.#options;
    // It may fail after we've stopped waiting.
    work.catch((err: unknown) => log.warn({ err }, "a moderator's action failed"));
    return await Promise.race([work, patience().then(() => 'under way' as const)]);
  }

  /** Checks one member now; see `MemberChecks`. */
  check(community: Community, account: string): Promise<RunResult | undefined> {
    return this.#parts.checks.check(community, account);
  }

  /** See `MemberChecks`. */
  abandonCheck(community: Community, account: string): Promise<void> {
    return this.#parts.checks.abandon(community, account);
  }

  /** The same, for a moderator who waits briefly; if it fails, the next pass does it. */
  async checkSoon(community: Community, account: string): Promise<void> {
    await this.#patiently(this.check(community, account)).catch(() => undefined);
  }

  /** Resumes an interrupted run, unless someone else is running it. */
  resume(run: Run): Promise<void> {
    return this.#parts.recovery.resume(run);
  }

  /** Stops active runs, including undos, before their next change. @returns which */
  stop(community: Community, by: string): Promise<readonly Run[]> {
    return this.#parts.runs.stop(community, by);
  }

  /** See `Undoing`. @returns `under way` if it takes longer than someone would wait */
  async undo(
    community: Community,
    by: string,
    id?: string,
  ): Promise<UndoResult | UndoQuestion | 'under way' | undefined> {
    return await this.#patiently(this.#parts.undoing.undo(community, by, id));
  }

  /** @throws UserError `gate-nothing` if it isn't waiting for confirmation, `gate-expired` */
  async confirm(community: Community, runId: string, by: string): Promise<RunResult | 'under way'> {
    const run = await this.#options.store.run(runId);
    const isHeld = run?.status === 'held' && isSame(run.community, community);
    const result =
      isHeld && (await this.#patiently(this.#parts.passes.confirm(community, runId, by)));
    if (result) return result;
    throw new UserError('gate-nothing', 'This run is no longer waiting for an answer.');
  }

  /**
   * Removes what rules granted an account that is about to be erased: later nobody would know that
   * rules granted it.
   * @throws RetryableError if the platform is unavailable now
   */
  release(account: Account): Promise<void> {
    return this.#parts.erasure.release(account);
  }

  async why(community: Community, account: string): Promise<Explanation> {
    await this.hear(community);
    await this.#parts.blockers.refreshNames(community);
    return await this.#parts.explanations.why(community, account);
  }

  /** What the source has shown for so long that moderators are asked to confirm it. */
  doubtOf(community: Community): Promise<Implausible | undefined> {
    return this.#parts.doubts.pending(community);
  }

  /** See `SourceDoubts`. @throws UserError `gate-nothing` */
  accept(community: Community, by: string, code?: string): Promise<Implausible> {
    return this.#parts.doubts.accept(community, by, code);
  }

  /** What an account will lose if its wallets stay as they are. @param here where they read it */
  warningsOf(account: Account, here?: Community): Promise<readonly Warning[]> {
    return warningsOf(this.#options, account, here);
  }

  /** Newest first, each change once. Without figures for those who aren't members. */
  async log(community: Community, limit: number, offset: number): Promise<readonly AuditRow[]> {
    await this.hear(community);
    return await this.#parts.explanations.log(community, limit, offset);
  }

  /** Runs that a moderator can confirm, newest first. */
  async heldRuns(community: Community): Promise<readonly Run[]> {
    const { store, now } = this.#options;
    return (await store.heldRuns(community)).filter((run) => canBeConfirmed(run, now()));
  }

  /** See `countHeld`. */
  async countHeld(run: Run): Promise<number> {
    return await countHeld(this.#options.store, run);
  }

  /** Newest first. */
  async runsOf(community: Community, limit: number): Promise<readonly Run[]> {
    return await this.#options.store.runsOf(community, limit);
  }

  member(community: Community, account: string): Promise<Member | undefined> {
    return this.#adapterOf(community).member(community.id, account);
  }

  #adapterOf(community: Community): CommunityAdapter {
    return requireAdapter(this.#options, community);
  }

  async #note(
    community: Community,
    event: AuditRow['event'],
    about: DecisionDetails,
  ): Promise<void> {
    await noteDecision(this.#options, community, event, about);
  }
}

function unknownAccount(cause: UnknownAccount): UserError {
  return new UserError('gate-unknown-account', cause.message, [], { cause });
}
