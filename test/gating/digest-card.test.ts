import { expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { digestCard } from '#gating/announce/cards';
import { weekBefore } from '#gating/announce/digest';

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
        ...{ week: weekBefore(day), risers: [], holders: [], moreHolders: 0 },
        ...{ tiers: new Map(), linked: 1 },
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
