import { messageOf, RetryableError } from '#base';
import type { Replica } from '#cluster';
import type { ChangeOutcome, Member } from '#gating/community-adapter';
import { type Grant, isHeldBy, strongestOf } from '#gating/decide/grant';
import { platformReason, reasonOf, type Skip } from '#gating/decide/reason';
import type { CommunityTexts } from '#gating/language';
import type { Bars } from '#gating/members/bars/bars';
import type { HandChanges } from '#gating/members/bars/hand-changes';
import type { MemberBar } from '#gating/members/bars/member-bars';
import { type Admissions, isAdmission } from '#gating/members/entry/invites';
import { askPlatform, LostAnswer } from '#gating/platform';
import type { Change } from '#gating/reports/audit';
import {
  isPlatformRefusal,
  isRuleRefusal,
  type PlatformRefusal,
  type UnknownRefusal,
} from '#gating/rules/refusals';
import type { Community, Rule } from '#gating/rules/rule';
import type { GateStore } from '#gating/store';
import type { ChangeLog } from './change-log.ts';
import { memberClaim } from './claims.ts';
import type { MemberScan } from './member-scan.ts';
import type { Finding, Planner } from './planner.ts';
import type { ChangeReconciler } from './reconcile-changes.ts';
import type { ActiveRun } from './run.ts';

export interface ChangeMakerOptions {
  readonly store: GateStore;
  readonly planner: Planner;
  readonly changes: ChangeLog;
  readonly bars: Bars;
  readonly reconciler: ChangeReconciler;
  readonly admissions: Admissions;
  readonly memberScan: MemberScan;
  readonly hands: Pick<HandChanges, 'upToDate' | 'upToDateSince'>;
  readonly replica: Pick<Replica, 'inTurn'>;
  /** In the community's language. */
  readonly textsOf: CommunityTexts;
  /** Seconds since 1970. */
  readonly now: () => number;
}

const NOBODY: ReadonlySet<string> = new Set();
/** Attempts per change while the platform doesn't respond. */
const TRIES = 2;

/** Why a change is skipped: a code, or the reason of a reading. */
interface Instead {
  readonly why: Skip | string;
  /** The member as last seen, from which the grant is derived. */
  readonly seen?: Member;
}

/** Makes one change: checks it again, records that it begins, sends it, and records the outcome. */
export class ChangeMaker {
  readonly #options: ChangeMakerOptions;

  constructor(options: ChangeMakerOptions) {
    this.#options = options;
  }

  /**
   * @param rules the community's, just read
   * @returns the platform's response; undefined if nothing was sent
   * @throws NoAnswer if the platform doesn't respond: the change is still planned, or its outcome
   *   unknown
   * @throws BusyError if another writer holds the member for long
   */
  async make(
    run: ActiveRun,
    change: Change,
    rules: readonly Rule[],
  ): Promise<ChangeOutcome | undefined> {
    // Serialize per member: otherwise each writer mistakes the other's change for an outsider's.
    const claim = memberClaim(run.community, change.account);
    return await this.#options.replica.inTurn(claim, run.lease.signal, ({ isHeld }) =>
      // Even while shutting down, record what was done.
      this.#make(run, change, rules, async () => (await isHeld()) && (await run.lease.isHeld())),
    );
  }

  async #make(
    run: ActiveRun,
    change: Change,
    rules: readonly Rule[],
    isOurs: () => Promise<boolean>,
  ): Promise<ChangeOutcome | undefined> {
    const { changes, hands, reconciler } = this.#options;
    const { community, adapter, record } = run;
    if (change.step === 'give') {
      await askPlatform(() => hands.upToDate(community));
      await askPlatform(async () => await adapter.requireRecorded?.(community.id, change.account));
    }
    await reconciler.settleClaimed(community, adapter, change.account);
    const known = await this.#knownNow(run, change, rules);
    // Who is spared depends on what roles permit right now; what is given doesn't.
    const isFresh = change.step === 'take';
    const live =
      known ?? (await askPlatform(() => adapter.member(community.id, change.account, isFresh)));
    if (change.step === 'give' && live !== undefined) {
      await askPlatform(() => hands.upToDateSince(community, live));
    }
    // Nobody else changes them while the member is claimed.
    const { remembered, bars } = await changes.rememberedWithBars(community, change, rules);
    let bar: MemberBar | undefined;
    if (live !== undefined && known === undefined) {
      bar = await this.#options.bars.observe(community, remembered, live, change.grant, bars);
    } else if (change.step === 'give') {
      bar = await this.#options.bars.on(community, change.account, change.grant, bars);
    }
    const instead = await this.#whyNot(run, change, live, bar);
    if (instead !== undefined) {
      const { why, seen } = instead;
      const grants = seen === undefined ? [] : await changes.seen(community, change, seen, rules);
      await changes.mark(record, change, 'skipped', why, grants);
      if (why === 'left') await this.#options.store.forgetMember(community, change.account);
      // Someone else has admitted them.
      if (seen !== undefined && isAdmission(change)) {
        await this.#options.admissions.entered(community, change.account, false);
      }
      return undefined;
    }
    const before = strongestOf(remembered)?.ownership;
    const begun: Change = { ...change, ownershipBefore: before };
    // The change is gone: its rule was removed meanwhile, or its account erased.
    if (!(await changes.mark(record, begun, 'begun', change.reason))) return undefined;
    const outcome = await this.#ask(run, begun);
    // The new owner finds it begun, and settles it.
    if (!(await isOurs())) throw new RetryableError('This replica was silent for too long.');
    await this.#conclude(run, begun, live, outcome, remembered);
    return outcome;
  }

  /**
   * The member whom this run has just given something, or, for a rise, as just listed: many may rise at once, and
   * nobody loses anything by it. Undefined if they must be asked about, as for all other changes: also where what
   * is to be taken has gone, since somebody may have taken it for good.
   */
  async #knownNow(
    run: ActiveRun,
    change: Change,
    rules: readonly Rule[],
  ): Promise<Member | undefined> {
    const { account, grant, ladder, step } = change;
    const given = run.justGiven;
    run.justGiven = undefined;
    if (ladder?.way !== 'up' || run.isUndo) return undefined;
    if (step === 'take') {
      return given?.id === account && given.grants.includes(grant) ? given : undefined;
    }
    if (run.isResumed) return undefined;
    const { changes, memberScan, now } = this.#options;
    run.roster = await memberScan.current(run.community, run.adapter, run.roster, now());
    const remembered = strongestOf(await changes.remembered(run.community, change, rules));
    const listed = run.roster?.seen.get(account);
    return remembered?.ownership === 'none' ? listed : undefined;
  }

  /** Checks again before sending: the plan may be minutes old. */
  async #whyNot(
    run: ActiveRun,
    change: Change,
    live: Member | undefined,
    bar: MemberBar | undefined,
  ): Promise<Instead | undefined> {
    const { account, grant, step } = change;
    if (live === undefined && !isAdmission(change)) return { why: 'left' };
    if (step === 'give' && live?.grants.includes(grant) !== true) {
      // An undo puts back what a run took, but not what somebody has taken since.
      const why: Skip = run.isUndo && bar?.by === undefined ? 'changed-since' : 'barred';
      if (bar !== undefined) return { why, ...(live !== undefined && { seen: live }) };
    }
    if (live === undefined) return await this.#whyNotAdmit(run, change);
    if (step === 'give' && live.isPending === true) return { why: 'pending' };
    const has = live.grants.includes(grant);
    if (step === 'give' && has) return { why: 'has-already', seen: live };
    if (step === 'take' && !has) return { why: 'gone', seen: live };
    if (step === 'give' && !run.isUndo && !run.isResumed) return undefined;
    const known = await this.#options.store.member(run.community, account);
    if (step === 'take' && live.isAdmin) return { why: 'spared' };
    if (step === 'take' && known?.isProtected === true) return { why: 'protected' };
    if (run.isUndo) return await this.#whyNotUndo(run, change, live);
    if (known === undefined || run.basis === undefined) return { why: 'left' };
    const basis = { ...run.basis, seen: new Map([[account, live]]), unsettled: NOBODY };
    const findings = await this.#options.planner.explain(run.community, basis, known);
    const ofRole = findings.filter(({ rule }) => rule.grant === grant);
    // They may have come to qualify for a lower role of the ladder since it was planned.
    const isMove = change.ladder !== undefined || ofRole.some(({ ladder }) => ladder !== undefined);
    const isAhead = findings.some((each) => each.step === 'give' && each.ladder !== undefined);
    if (step === 'take' && isMove && isAhead) return { why: 'other-missing' };
    if (ofRole.some((each) => each.step === step)) return undefined;
    const [own] = ofRole.filter(({ rule }) => rule.id === change.rule);
    if (step === 'give' || own?.verdict.answer !== 'lacks') return { why: whyOf(own) };
    // They lack it as they did, so something else keeps them from losing it.
    const keeping = ofRole.find(({ verdict }) => verdict.answer !== 'lacks');
    if (keeping !== undefined) return { why: reasonOf(keeping) };
    return { why: isHeldBy(own.rule, own.grant) ? 'not-due' : 'changed-since' };
  }

  /** Only the platform knows whether a join request is still pending. */
  async #whyNotAdmit(run: ActiveRun, { account }: Change): Promise<Instead | undefined> {
    const { store, planner } = this.#options;
    if (run.isUndo) return undefined;
    const applicant = await store.applicant(run.community, account);
    if (applicant === undefined) return { why: 'no-request' };
    if (!run.isResumed || run.basis === undefined) return undefined;
    const basis = { ...run.basis, unsettled: NOBODY };
    const findings = await planner.explain(run.community, basis, applicant);
    if (findings.some((each) => each.step === 'give')) return undefined;
    return { why: whyOf(findings[0]) };
  }

  /** What others have granted or removed since is theirs. */
  async #whyNotUndo(
    { community }: ActiveRun,
    change: Change,
    live: Member,
  ): Promise<Instead | undefined> {
    const { changes } = this.#options;
    const grants = await changes.seen(community, change, live);
    // For a removed rule, the store remembers only whom it had given something that isn't its own now.
    const ownership = (strongestOf(grants) ?? (await changes.ofRule(community, change)))?.ownership;
    const isTheirs = change.step === 'take' && ownership !== undefined && ownership !== 'ours';
    if (isTheirs) return { why: 'changed-since', seen: live };
    return (await this.#lacksOther(community, change, live)) ? { why: 'other-missing' } : undefined;
  }

  /** Whether the role that they had before isn't back yet, though nobody has barred them from it. */
  async #lacksOther(
    community: Community,
    { step, ladder, account }: Change,
    live: Member,
  ): Promise<boolean> {
    if (step !== 'take' || ladder === undefined || live.grants.includes(ladder.other)) return false;
    return (await this.#options.bars.on(community, account, ladder.other)) === undefined;
  }

  /** @throws LostAnswer with the change marked as unknown */
  async #ask(run: ActiveRun, change: Change): Promise<ChangeOutcome> {
    const { community, adapter } = run;
    const { step, account, grant } = change;
    run.texts ??= await this.#options.textsOf(community, run.basis);
    const reason = platformReason(change.reason, run.texts);
    for (let attempt = 1; ; attempt++) {
      try {
        const outcome =
          step === 'give'
            ? await adapter.give(community.id, account, grant, reason)
            : await adapter.take(community.id, account, grant, reason);
        // A refusal doesn't say what became of the attempt before it.
        if (attempt === 1 || outcome === 'done') return outcome;
        throw new RetryableError(`The response was lost. Then: ${outcome}`);
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error;
        // If it had succeeded, the retry would be told that there is no request.
        if (attempt < TRIES && !isAdmission(change)) continue;
        await this.#options.changes.mark(run.record, change, 'unknown', change.reason);
        throw new LostAnswer(messageOf(error), { cause: error });
      }
    }
  }

  /** The platform refuses it for this member, but not necessarily for others. */
  async #refusedAlone(
    { community }: ActiveRun,
    { account, grant }: Change,
    code: PlatformRefusal | UnknownRefusal,
  ): Promise<void> {
    const { store, admissions, now } = this.#options;
    const known = await store.refusalsOf(community, [account]);
    const isNews = !known.some((each) => each.grant === grant && each.code === code);
    const isToTell = isNews && isPlatformRefusal(code);
    // What nobody could tell them isn't left to them yet: the next pass meets it again.
    if (isToTell && !(await admissions.refused(community, account, code))) return;
    await store.putRefusal(community, { account, grant, code, at: now() });
  }

  async #conclude(
    run: ActiveRun,
    change: Change,
    live: Member | undefined,
    outcome: ChangeOutcome,
    remembered: readonly Grant[],
  ): Promise<void> {
    const { changes, store, admissions } = this.#options;
    const { community, record } = run;
    switch (outcome) {
      case 'done': {
        const grants = changes.after(change, live, remembered);
        await changes.mark(record, change, 'done', change.reason, grants);
        if (change.step === 'give' && live !== undefined) {
          run.justGiven = { ...live, grants: [...live.grants, change.grant] };
        }
        if (isAdmission(change)) await admissions.entered(community, change.account, true);
        return;
      }
      case 'left':
      case 'no-request':
        if (isAdmission(change)) {
          await admissions.withdrawn(community, change.account);
          const why: Skip = run.isUndo ? 'needs-invitation' : 'no-request';
          await changes.mark(record, change, 'skipped', why);
        } else {
          await changes.mark(record, change, 'skipped', 'left');
          await store.forgetMember(community, change.account);
        }
        return;
      case 'spared':
        await changes.mark(record, change, 'skipped', 'spared');
        return;
      case 'no-role':
        // Nobody has a role that was deleted, so there's nothing left to take.
        if (change.step === 'take') await changes.mark(record, change, 'skipped', 'gone');
        else await changes.mark(record, change, 'refused', outcome);
        return;
      default:
        if (!isRuleRefusal(outcome)) await this.#refusedAlone(run, change, outcome);
        await changes.mark(record, change, 'refused', outcome);
    }
  }
}

/** The reading that no longer supports the change. */
function whyOf(finding: Finding | undefined): string {
  return finding === undefined ? 'changed-since' : reasonOf(finding);
}
