import { UserError } from '#base';
import { auditRow } from '#gating/reports/audit';
import { type Implausible, readDoubtCode } from '#gating/rules/implausible';
import { checkPlausible, isFarFewer } from '#gating/rules/plausible';
import type { Community } from '#gating/rules/rule';
import type { PassCriteria } from '#gating/runs/planner';
import type { GateStore, SourceMemory } from '#gating/store';
import { countNegative, isConfirmed, type ReputationSource } from '#reputation';
import type { WalletParser } from '#wallet';

export interface SourceDoubtsOptions {
  readonly store: GateStore;
  readonly source: ReputationSource;
  readonly wallets: WalletParser;
  /** Seconds since 1970. */
  readonly now: () => number;
}

/**
 * Handles a source that stays implausible: after some passes moderators are told, and one of them
 * may accept it. Until then, nothing is decided by it.
 */
export class SourceDoubts {
  readonly #options: SourceDoubtsOptions;

  constructor(options: SourceDoubtsOptions) {
    this.#options = options;
  }

  /**
   * Counts a pass by an implausible reading. What a plausible one shows is remembered and ends the doubt; an
   * unavailable source says nothing either way.
   */
  async note(
    community: Community,
    { shows, plausible, memory: before }: Pick<PassCriteria, 'shows' | 'plausible' | 'memory'>,
  ): Promise<void> {
    const { store, now } = this.#options;
    if (shows === undefined) {
      if (plausible === undefined || JSON.stringify(plausible) === JSON.stringify(before)) return;
      await store.putSettings(community, { memory: plausible });
      return;
    }
    // A moderator may have accepted something meanwhile.
    const { memory } = await store.settingsOf(community);
    const doubted = memory?.doubt;
    // If it falls further, moderators are asked again.
    const counted = doubted !== undefined && isStill(doubted.shows, shows) ? doubted : undefined;
    const { reads, firstAt, lastAt } = countNegative(counted, now());
    const doubt = { reads, firstAt, lastAt, shows, isTold: counted?.isTold ?? false };
    await store.putSettings(community, { memory: { totalUsers: 0, ...memory, doubt } });
  }

  /** What has been implausible for long enough to ask about; undefined if nothing has. */
  async pending(community: Community): Promise<Implausible | undefined> {
    return pendingIn((await this.#options.store.settingsOf(community)).memory);
  }

  /** The same, until moderators were told. */
  async untold(community: Community): Promise<Implausible | undefined> {
    const { memory } = await this.#options.store.settingsOf(community);
    return memory?.doubt?.isTold === true ? undefined : pendingIn(memory);
  }

  async told(community: Community): Promise<void> {
    const { store } = this.#options;
    const { memory } = await store.settingsOf(community);
    if (memory?.doubt === undefined) return;
    const doubt = { ...memory.doubt, isTold: true };
    await store.putSettings(community, { memory: { ...memory, doubt } });
  }

  /**
   * A moderator confirms that the source is right. It's read once more, as it may have changed.
   * @param code see `doubtCode`: what the moderator was asked about; undefined for whatever it shows now
   * @returns what was accepted
   * @throws UserError `gate-nothing` if nothing has been implausible for long enough, or it can't
   *   be accepted
   */
  async accept(community: Community, by: string, code?: string): Promise<Implausible> {
    const { store, source, wallets, now } = this.#options;
    const { memory } = await store.settingsOf(community);
    const pending = pendingIn(memory);
    const asked = pending && (code === undefined ? pending : readDoubtCode(code));
    const plausibility = await checkPlausible(source.reading('background'), wallets, memory);
    const shows = 'shows' in plausibility ? plausibility.shows : undefined;
    const isAsked = asked !== undefined && shows !== undefined && isStill(asked, shows);
    if (!isAsked || shows.kind === 'contradiction') {
      throw new UserError('gate-nothing', "There's nothing to accept right now.");
    }
    const areZeros = shows.kind === 'zeros';
    await store.putSettings(community, {
      memory: { totalUsers: shows.now, ...(areZeros && { areZerosAccepted: true }) },
    });
    const detail = areZeros ? `0 / ${shows.now}` : `${shows.before} → ${shows.now}`;
    await store.audit([auditRow(now(), community, 'accepted', { by, detail })]);
    return shows;
  }
}

function pendingIn(memory: SourceMemory | undefined): Implausible | undefined {
  const doubt = memory?.doubt;
  return doubt !== undefined && isConfirmed(doubt) ? doubt.shows : undefined;
}

/** Whether a source still shows what moderators were asked about, and not much less. */
function isStill(asked: Implausible, shows: Implausible): boolean {
  if (asked.kind !== shows.kind) return false;
  return asked.kind === 'contradiction' || shows.kind === 'contradiction'
    ? true
    : !isFarFewer(shows.now, asked.now);
}
