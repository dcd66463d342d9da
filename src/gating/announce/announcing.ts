import type { ReportRefusal } from '#gating/community-adapter';
import type { Community } from '#gating/rules/rule';
import { noteDecision, type RuleChangesOptions } from '#gating/rules/rule-changes';
import type { AnnounceSettings } from './mark.ts';

/** What a community announces, and whether that works. */
export interface Announced {
  readonly settings: AnnounceSettings | undefined;
  /** Why the last announcement couldn't be posted. */
  readonly refused: ReportRefusal | undefined;
}

/** What moderators do with announcements, each with its row of the audit log. */
export class Announcing {
  readonly #options: Pick<RuleChangesOptions, 'store' | 'now'>;

  constructor(options: Pick<RuleChangesOptions, 'store' | 'now'>) {
    this.#options = options;
  }

  async of(community: Community): Promise<Announced> {
    const { announce, announced } = await this.#options.store.settingsOf(community);
    return { settings: announce, refused: announce && announced?.refused };
  }

  /** From now on: what members have already isn't announced. */
  async turnOn(community: Community, announce: AnnounceSettings, by: string): Promise<void> {
    const { store } = this.#options;
    const { announced } = await store.settingsOf(community);
    // Another place may work, and moderators are told anew if it doesn't.
    const { lastAt, post } = announced ?? {};
    await store.putSettings(community, { announce, announced: { lastAt, post } });
    await noteDecision(this.#options, community, 'announce-on', { by, detail: announce.channel });
  }

  async turnOff(community: Community, by: string): Promise<void> {
    const { store } = this.#options;
    await store.putSettings(community, {
      announce: undefined,
      announced: undefined,
      look: undefined,
    });
    await store.dropMarks(community);
    await noteDecision(this.#options, community, 'announce-off', { by });
  }
}
