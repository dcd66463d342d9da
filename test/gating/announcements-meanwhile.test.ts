import { expect, it } from 'vitest';
import { AnnouncingCommunity, SAID } from '../support/announcing.ts';
import { walletOf } from '../support/import-lines.ts';

/* Announcements: what members change while a message is made counts. */

const SHARK = 2_000;
const WHALE = 6_000;

const ONLY_THE_SECOND = new RegExp(`^(?!.*\\b1 is).*\\b2 ${SAID.isNow.Whale}`, 's');

type Change = (guild: AnnouncingCommunity) => unknown;

const CHANGES: readonly (readonly [string, Change])[] = [
  ['hides', (guild) => guild.hidden.add('1')],
  ['unlinks', (guild) => guild.unlink('1', walletOf(1))],
  [
    'erases their data',
    (guild) => guild.links.erase({ platform: 'discord', id: '1' }, guild.now + 1),
  ],
  ['falls', (guild) => guild.score(1, SHARK)],
];

/** The first of two has risen further. */
async function bothRise(guild: AnnouncingCommunity): Promise<void> {
  for (const id of [1, 2]) await guild.member(id, SHARK);
  await guild.turnOn();
  guild.score(1, WHALE + 1);
  guild.score(2, WHALE);
}

it.each(CHANGES)(
  'The announcer does not name who %s while the picture is drawn',
  async (_, change) => {
    const guild = new AnnouncingCommunity();
    let isDrawn = false;
    const rankCard = () => async () => {
      if (!isDrawn) await change(guild);
      isDrawn = true;
      return undefined;
    };
    guild.gated = guild.process({ rankCard });
    await bothRise(guild);
    await guild.minutes(3);
    expect(isDrawn).toBe(true);
    expect(guild.texts).toEqual([expect.stringMatching(ONLY_THE_SECOND)]);
  },
);

it.each(CHANGES)(
  'The announcer does not name who %s while it writes to the store',
  async (_, change) => {
    const guild = new AnnouncingCommunity();
    await bothRise(guild);
    const { gating } = guild.store;
    const { beginPost } = gating;
    gating.beginPost = async (...post) => {
      gating.beginPost = beginPost;
      await gating.beginPost(...post);
      await change(guild);
    };
    await guild.minutes(3);
    expect(guild.texts).toEqual([expect.stringMatching(ONLY_THE_SECOND)]);
  },
);
