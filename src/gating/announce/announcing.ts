import type { ReportRefusal } from '#gating/community-adapter';
import { whyClosed } from '#gating/post-once';
import type { Community } from '#gating/rules/rule';
import { noteDecision, type RuleChangesOptions } from '#gating/rules/rule-changes';
import { begunDigest } from './digest.ts';
import type { AnnounceFailure, AnnounceSettings } from './mark.ts';

/** What a community announces, and whether that works. */
export interface Announced {
  readonly settings: AnnounceSettings | undefined;
  /** Why the last announcement couldn't be posted, or may not have been. */
  readonly refused: AnnounceFailure | undefined;
  /** Why the next one couldn't be posted now, as far as the platform says. */
  readonly closed: ReportRefusal | undefined;
  /** Whether the week is told on Mondays. */
  readonly isWeekly: boolean;
}

/** What moderators do with announcements, each with its row of the audit log. */
export class Announcing {
  readonly #options: Pick<RuleChangesOptions, 'store' | 'adapterOf' | 'now'>;

  constructor(options: Pick<RuleChangesOptions, 'store' | 'adapterOf' | 'now'>) {
    this.#options = options;
  }

  async of(community: Community): Promise<Announced> {
    const { store, adapterOf } = this.#options;
    const { announce, announced, digest } = await store.settingsOf(community);
    const adapter = adapterOf(community.platform);
    return {
      settings: announce,
      refused: announce && announced?.refused,
      closed: announce && (await whyClosed(adapter, community, announce.channel)),
      isWeekly: announce !== undefined && digest !== undefined,
    };
  }

  /** From now on: what members have already isn't announced. */
  async turnOn(community: Community, announce: AnnounceSettings, by: string): Promise<void> {
    const { store } = this.#options;
    const { announce: before } = await store.settingsOf(community);
    await store.turnOn(community, announce);
    if (before !== undefined && isSameSettings(before, announce)) return;
    await noteDecision(this.#options, community, 'announce-on', { by, detail: announce.channel });
  }

  async turnOff(community: Community, by: string): Promise<void> {
    const { store } = this.#options;
    if ((await store.settingsOf(community)).announce === undefined) return;
    await store.turnOff(community);
    await noteDecision(this.#options, community, 'announce-off', { by });
  }

  /** Whether the week is told on Mondays, where announcements go. Repeated, it changes nothing. */
  async setWeekly(community: Community, isOn: boolean, by: string): Promise<void> {
    const { store, now } = this.#options;
    if (!(await store.setDigest(community, isOn ? begunDigest(now()) : undefined))) return;
    await noteDecision(this.#options, community, isOn ? 'digest-on' : 'digest-off', { by });
  }
}

function isSameSettings(one: AnnounceSettings, other: AnnounceSettings): boolean {
  return one.channel === other.channel && one.from === other.from && one.badges === other.badges;
}
