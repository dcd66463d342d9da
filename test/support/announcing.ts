import type { CommunityGating, CommunityGatingOptions } from '#app/members/gating';
import { textsFor } from '#command/texts/index';
import type { AnnounceSettings } from '#gating/announce/mark';
import type { Store } from '#storage/store';
import { cardText } from './card-text.ts';
import { GatedCommunity, GUILD, MODERATOR } from './gated-community.ts';
import type { Life } from './mortal.ts';

export const CHANNEL = '77';

/** The words of announcements. */
export const { announce: SAID } = textsFor('en');

/** A community that announces rises, with members who show themselves unless they're hidden. */
export class AnnouncingCommunity extends GatedCommunity {
  readonly hidden = new Set<string>();
  /** How often choices of members were read. */
  choicesRead = 0;
  #revision = 0;

  constructor(community = GUILD, store?: Store) {
    super(community, store);
    this.gated = this.process();
  }

  /** A process that serves it. */
  process(changes: Partial<CommunityGatingOptions> = {}): CommunityGating {
    return this.open({
      announcedAmong: async (_, accounts) => {
        this.choicesRead += 1;
        return new Set(accounts.filter((account) => !this.hidden.has(account)));
      },
      revision: () => String(this.#revision),
      ...changes,
    });
  }

  override async restart(): Promise<void> {
    await this.gated.stop();
    this.gated = this.process();
  }

  async turnOn(change: Partial<AnnounceSettings> = {}): Promise<void> {
    const settings = { channel: CHANNEL, from: 'Whale' as const, badges: undefined, ...change };
    await this.gated.gating.announcing.turnOn(this.community, settings, MODERATOR);
    await this.minutes(1);
  }

  override score(id: number, score: number): void {
    super.score(id, score);
    this.news();
  }

  /** The source has newer data. */
  news(): void {
    this.#revision += 1;
  }

  /** Makes a round every minute for this long. */
  async minutes(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      this.now += 60;
      await this.gated.announcements.round();
    }
  }

  /** What was posted, as text. */
  get texts(): readonly string[] {
    return this.adapter.posts.map(({ card }) => cardText(card));
  }

  /** A round of a process that is killed in the middle, so many seconds after its start; another one comes up. */
  async killedRound(life: Life, age = 60): Promise<void> {
    const { store, adapter } = this;
    const doomed = this.process({
      store: life.of(store.gating),
      adapterOf: () => life.of(adapter),
    });
    this.now += age;
    await Promise.race([doomed.announcements.round(), turnsOfTheLoop()]);
    await this.restart();
  }
}

async function turnsOfTheLoop(): Promise<void> {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
}
