import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { digestCard } from '#gating/announce/cards';
import { weekBefore } from '#gating/announce/digest';
import { DigestCommunity } from '../support/digest-community.ts';

/** Mondays after changes to and from summer time, and one between. */
const MONDAYS = [
  '2026-03-09',
  '2026-03-30',
  '2026-04-06',
  '2026-07-06',
  '2026-10-26',
  '2026-11-02',
];
const ZONES = [
  ...['America/St_Johns', 'Pacific/Honolulu', 'America/Anchorage', 'Europe/Berlin', 'UTC'],
  ...['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Kamchatka', 'Pacific/Fiji', 'Pacific/Apia'],
  ...['Pacific/Tongatapu', 'Pacific/Auckland', 'Pacific/Chatham'],
];
const DAY_MS = 86_400_000;

it.each(ZONES)('The digest names its week by the same days in %s', (timeZone) => {
  const local = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone });
  for (const monday of MONDAYS) {
    const day = Date.parse(monday) / DAY_MS;
    const card = digestCard(
      {
        ...{ week: weekBefore(day), risers: [], nextPoints: undefined, holders: [] },
        ...{ moreHolders: 0, tiers: new Map(), linked: 1 },
      },
      textsFor('en'),
    );
    const shown = card.footer.flatMap((span) =>
      typeof span === 'object' && 'time' in span ? [local.format(span.time * 1000)] : [],
    );
    const dateOf = (at: number) => new Date(at * DAY_MS).toISOString().slice(0, 10);
    expect(shown).toEqual([dateOf(day - 7), dateOf(day - 1)]);
  }
});

it.each([
  [[700, 300, 20, 10], '🥇🥈🥉▫️'],
  [[300, 300, 20], '🥇🥇🥉'],
  [[700, 300, 300, 20], '🥇🥈🥈▫️'],
  // Not all who gained as much are named.
  [[700, 300, 300, 300, 300, 300], '🥇▫️▫️▫️▫️'],
])('Who gained as much in a week has the same medal: %j', async (gains, medals) => {
  const guild = new DigestCommunity();
  for (const [i, gained] of gains.entries()) await guild.riser(i + 1, gained);
  await guild.turnOnWeekly();
  await guild.monday();
  expect(guild.texts[0]?.match(/🥇|🥈|🥉|▫️/gu)?.join('')).toBe(medals);
});
