import { type Logger, messageOf, RetryableError } from '#base';
import type { Replica } from '#cluster';
import type { CommunityAdapter, Member } from '#gating/community-adapter';
import { checkRemovalLimit } from '#gating/decide/removal-limit';
import type { UnknownReason } from '#gating/decide/verdict';
import type { RuleProblem } from '#gating/result';
import type { Community, Rule } from '#gating/rules/rule';
import type { RuleBlockers } from '#gating/rules/rule-blockers';
import type { MemberScan } from '#gating/runs/member-scan';
import {
  type Finding,
  isAtRisk,
  isGrave,
  type PassCriteria,
  type Planner,
  shownDoubt,
} from '#gating/runs/planner';
import type { GateStore } from '#gating/store';
import { csvOf, FindingList } from './spreadsheet.ts';

export interface PreviewCounts {
  readonly gains: number;
  readonly losses: number;
  readonly replaced: number;
  readonly atRisk: number;
}

/** What would change, and for whom. */
export interface Preview {
  readonly members: number;
  readonly unknown: number;
  /** Those with linked wallets who haven't been looked up here yet; they may gain something. */
  readonly unseen: number;
  /**
   * How many of those named couldn't be compared with the platform yet, and may have it already.
   */
  readonly unchecked: number;
  readonly doubt: UnknownReason | undefined;
  /** What prevents rules now, which a run would pause. */
  readonly problems: readonly RuleProblem[];
  /** Whether this machine's clock is wrong, so that nothing is taken away here whatever is due. */
  readonly isClockDoubted: boolean;
  /** Whether it's more than a run removes without asking, as far as our records say. */
  readonly isTooMuch: boolean;
  /** Totals; the first ones of each follow. */
  readonly counts: PreviewCounts;
  /** The members affected, each once per list. */
  readonly affected: PreviewCounts;
  readonly gains: readonly Finding[];
  /** Removed by the next run, if it still applies. */
  readonly losses: readonly Finding[];
  /** Lower roles that go because of a higher one of the ladder. */
  readonly replaced: readonly Finding[];
  /** Below the bar, but not for long enough, or warned and in their grace period. */
  readonly atRisk: readonly Finding[];
  /** All changes as a spreadsheet, as far as a file has room, and how many it has. */
  readonly file: { readonly text: string; readonly count: number };
}

export interface PreviewsOptions {
  readonly store: GateStore;
  readonly planner: Planner;
  readonly memberScan: MemberScan;
  readonly blockers: Pick<RuleBlockers, 'foresee'>;
  readonly replica: Pick<Replica, 'during' | 'isClockDoubted'>;
  readonly adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined;
  /** Deadline by which the moderator expects an answer. */
  readonly patience: () => Promise<void>;
  /** The date that was so many seconds ago. */
  readonly ago: (seconds: number) => number;
  readonly log: Logger;
}

/** Findings of each kind that are kept; the rest are counted. */
const KEPT = 1_000;
/** Known members of a community that is listed, a thousand at a time: somebody waits for the answer. */
const LISTED_MOST = 8_000;

/**
 * Says what a run would do, based on the same members as a run, as the platform reports them now.
 */
export class Previews {
  readonly #options: PreviewsOptions;

  constructor(options: PreviewsOptions) {
    this.#options = options;
  }

  /**
   * @param by the moderator whose run it would be
   * @throws RetryableError if the store is unavailable
   */
  async preview(community: Community, by: string | undefined): Promise<Preview> {
    const { store, planner, memberScan, replica, patience, blockers, ago } = this.#options;
    const adapter = this.#options.adapterOf(community.platform);
    let isLate = false;
    const late = patience().then((): undefined => {
      isLate = true;
    });
    const seen = adapter && (await Promise.race([this.#look(community, adapter), late]));
    const { problems, working } = await blockers.foresee(community, by);
    const isAsked = by !== undefined;
    const isWorking = ({ id }: Rule) => working.has(id);
    const basis = { ...(await planner.basis(community, isWorking)), seen, isAsked };
    let members = 0;
    let unknown = 0;
    let unchecked = 0;
    const gains = new FindingList(KEPT);
    const losses = new FindingList(KEPT);
    const replaced = new FindingList(KEPT);
    const atRisk = new FindingList(KEPT);
    const note = (finding: Finding) => {
      if (finding.step === 'give') gains.add(finding);
      else if (finding.step === 'take') (isLossOf(finding) ? losses : replaced).add(finding);
      else if (isAtRisk(finding)) atRisk.add(finding);
    };
    for await (const page of planner.all(community, basis)) {
      members += page.members;
      unknown += page.unknown;
      const checked = await this.#check(community, adapter, basis, page.findings, () => isLate);
      unchecked += checked.unchecked;
      checked.findings.forEach(note);
    }
    for await (const page of planner.applicants(community, basis)) {
      unknown += page.unknown;
      page.findings.forEach(note);
    }
    const mapped = (of: (list: FindingList) => number) => ({
      ...{ gains: of(gains), losses: of(losses) },
      ...{ replaced: of(replaced), atRisk: of(atRisk) },
    });
    const takings = losses.first.map(({ account, rule: { grant } }) => ({ account, grant }));
    const has = async () => true;
    const limit = await checkRemovalLimit(store, community, basis.allRules, takings, has, ago);
    const now = adapter && (await store.rulesAndSettingsOf(community));
    return {
      members,
      unknown,
      unseen: now === undefined || seen ? 0 : await memberScan.countUnseen(community, now),
      unchecked,
      doubt: shownDoubt(basis),
      problems,
      isClockDoubted: replica.isClockDoubted,
      isTooMuch: limit !== undefined,
      counts: mapped((list) => list.count),
      affected: mapped((list) => list.members),
      gains: gains.first,
      losses: losses.first,
      replaced: replaced.first,
      atRisk: atRisk.first,
      file: csvOf([losses, gains, replaced, atRisk]),
    };
  }

  /**
   * Lists the members as a run does, or looks for those that a first run would find; continues after we've stopped
   * waiting.
   * @returns undefined if they can't be listed, or not soon
   */
  async #look(
    community: Community,
    adapter: CommunityAdapter,
  ): Promise<ReadonlyMap<string, Member> | undefined> {
    const { store, memberScan, replica, log } = this.#options;
    try {
      return await replica.during(`gate-roll:${community.platform}:${community.id}`, async () => {
        const by = await store.rulesAndSettingsOf(community);
        const isLarge = (await store.countMembers(community)) > LISTED_MOST;
        const seen = isLarge ? undefined : await memberScan.list(community, adapter, by);
        if (seen === undefined && (await memberScan.countUnseen(community, by)) > 0) {
          await memberScan.discover(community, adapter, by, async () => true);
        }
        return seen;
      });
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'could not look for members');
      return undefined;
    }
  }

  /** Asks the platform about members with changes, as a run does: of listed ones, as few. */
  async #check(
    community: Community,
    adapter: CommunityAdapter | undefined,
    basis: PassCriteria,
    findings: readonly Finding[],
    isLate: () => boolean,
  ): Promise<{ readonly findings: readonly Finding[]; readonly unchecked: number }> {
    const { store, planner } = this.#options;
    const asked = basis.seen === undefined ? findings : findings.filter(isGrave);
    const accounts = new Set(asked.map(({ account }) => account));
    const checked = new Map<string, readonly Finding[]>();
    let unchecked = 0;
    for (const account of accounts) {
      const live = isLate() ? 'unchecked' : await liveOf(community, adapter, account);
      if (live === 'unchecked') unchecked += 1;
      else if (live === undefined) checked.set(account, []);
      else {
        const known = await store.member(community, account);
        const seen = new Map([[account, live]]);
        const evaluated = known && (await planner.evaluate(community, { ...basis, seen }, [known]));
        checked.set(account, evaluated?.findings ?? []);
      }
    }
    const others = findings.filter(({ account }) => !checked.has(account));
    return { findings: [...others, ...[...checked.values()].flat()], unchecked };
  }
}

/** Whether nothing better replaces what's taken. */
function isLossOf({ ladder }: Finding): boolean {
  return ladder?.way !== 'up';
}

async function liveOf(
  community: Community,
  adapter: CommunityAdapter | undefined,
  account: string,
): Promise<Member | undefined | 'unchecked'> {
  if (adapter === undefined) return 'unchecked';
  try {
    return await adapter.member(community.id, account);
  } catch (error) {
    if (error instanceof RetryableError) return 'unchecked';
    throw error;
  }
}
