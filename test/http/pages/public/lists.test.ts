import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { wordsFor } from '#http/pages/words/index';
import { NO_NAMES, type VerifiedNames } from '#names/verified-names';
import type { Reading } from '#reputation/reputation-source';
import { addressOf } from '../../../support/import-lines.ts';
import {
  ALGO_A,
  activityOf,
  badgeNamed,
  ETH_A,
  ETH_B,
  SOL_A,
  SOL_B,
} from '../../../support/ledger.ts';
import {
  openPublicPages,
  pageText,
  SITE,
  type TestPages,
  withMethod,
} from '../../../support/public-pages.ts';

const EN = textsFor('en');
const { pages: lists } = wordsFor(['en']);

const NASTY = '<b>bold</b>\u202e';
/** 120 wallets on Solana with 1 to 120 points. */
const MANY = Array.from({ length: 120 }, (_, i) => ({
  wallet: { chain: 'solana', address: addressOf('solana', i + 1) } as const,
  points: 120 - i,
}));

const names: VerifiedNames = {
  ...NO_NAMES,
  hasForm: (text) => text.endsWith('.eth'),
  async walletOf(name) {
    if (name === 'vera.eth') return ETH_A;
    if (name === 'away.eth') throw new UserError('name-unchecked', 'away');
    throw new UserError('name-not-found', 'nobody');
  },
};

describe('the leaderboard, badges and statistics', () => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await openPublicPages({ names });
    const badged = MANY.slice(0, 60).map(({ wallet }, i) =>
      activityOf(wallet, `b${i}`, {
        points: 0,
        badge: 'diver',
        timestamp: 1_700_000_000 + i * 86_400,
      }),
    );
    await pages.add({
      badges: [
        badgeNamed('diver', { name: NASTY, description: NASTY, tier: 'Epic' }),
        badgeNamed('nobody'),
      ],
      names: [
        { wallet: ETH_A, displayName: 'vera' },
        { wallet: ETH_B, displayName: 'twin' },
        { wallet: ALGO_A, displayName: 'twin' },
        { wallet: SOL_A, displayName: NASTY },
      ],
      activities: [
        activityOf(ETH_A, 'a', { points: 9_000 }),
        activityOf(ETH_B, 'a', { points: 5_000 }),
        activityOf(ALGO_A, 'a', { points: 5_000 }),
        activityOf(SOL_A, 'a', { points: 600 }),
        ...MANY.map(({ wallet, points }) => activityOf(wallet, 'a', { points })),
        ...badged,
      ],
    });
  });
  afterAll(() => pages.close());

  const rowsOf = (html: string) =>
    [...html.matchAll(/<tr[^>]*><td class="rank[^>]*>.*?<\/tr>/g)].map(([row]) =>
      row
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    );

  it('lists the best first, ties with the same rank', async () => {
    const html = await pages.html('/leaderboard');
    const rows = rowsOf(html);
    expect(rows).toHaveLength(50);
    expect(rows.slice(0, 4)).toEqual([
      '1 vera 0x5aAe…eAed · Ethereum Titan 0 9,000',
      expect.stringMatching(/^2 twin .* Whale 0 5,000$/),
      expect.stringMatching(/^2 twin .* Whale 0 5,000$/),
      expect.stringMatching(/^4 &lt;b&gt;bold&lt;\/b&gt; .* · Solana Dolphin 0 600$/),
    ]);
    expect(pageText(html)).toContain('124 wallets · Page 1 of 3');
  });

  it('has pages and chains, and shows the last page for one behind it', async () => {
    const third = await pages.html('/leaderboard?page=3');
    expect(rowsOf(third)).toHaveLength(24);
    // A bar says how near a score is to the highest, which is on the first page.
    expect(await pages.html('/leaderboard')).toContain('class="meter"');
    expect(third).not.toContain('class="meter"');
    const html = await pages.html('/leaderboard?chain=sol&page=99');
    expect(pageText(html)).toContain('121 wallets · Page 3 of 3');
    expect(html).toContain(
      `<link rel="canonical" href="${SITE}/leaderboard?chain=sol&amp;page=3">`,
    );
    expect(html).toMatch(/<a[^>]*href="\/leaderboard\?chain=sol&amp;page=2" rel="prev">/);
    expect(rowsOf(html)[0]).toMatch(/^101 /);
  });

  it.each(['?page=0', '?page=-1', '?page=1.5', '?page=x', '?chain=btc'])(
    '%s is no page',
    async (query) => expect((await pages.get(`/leaderboard${query}`)).status).toBe(400),
  );

  it('ignores parameters that links gain on their way', async () => {
    expect((await pages.get('/leaderboard?utm_source=x&fbclid=1')).status).toBe(200);
  });

  it.each([
    ['an address', `find=${MANY[70]?.wallet.address}`, 2, MANY[70]?.wallet.address],
    [
      'an address on its chain',
      `find=${MANY[70]?.wallet.address}&chain=sol`,
      2,
      MANY[70]?.wallet.address,
    ],
    [
      'an address of another chain',
      `find=${MANY[70]?.wallet.address}&chain=eth`,
      2,
      MANY[70]?.wallet.address,
    ],
    ['a lower-case address', `find=${ETH_A.address.toLowerCase()}`, 1, ETH_A.address],
    ['a name', 'find=Vera&lang=es', 1, ETH_A.address],
    ['a verified name', 'find=vera.eth', 1, ETH_A.address],
  ])('leads to the row of %s', async (_, query, page, address) => {
    const answer = await pages.get(`/leaderboard?${query}`);
    expect(answer.status).toBe(302);
    const place = answer.headers.get('location') ?? '';
    expect(place).toMatch(/#found$/);
    const url = new URL(place, SITE);
    expect(Number(url.searchParams.get('page') ?? 1)).toBe(page);
    expect(url.searchParams.get('lang')).toBe(new URLSearchParams(query).get('lang'));
    const html = await pages.html(place.replace('#found', ''));
    const [marked] = /<tr id="found" aria-current="true">.*?<\/tr>/.exec(html) ?? [];
    expect(marked).toContain(`/wallet/${address}`);
  });

  it.each([
    ['nobody', 'We don’t know “nobody”'],
    ['gone.eth', 'We don’t know “gone.eth”'],
    ['<i>', 'We don’t know “&lt;i&gt;”'],
    [SOL_B.address, 'has no activity here yet'],
  ])('says that %s has no row', async (typed, sentence) => {
    const answer = await pages.get(`/leaderboard?find=${encodeURIComponent(typed)}`);
    expect(answer.status).toBe(404);
    const html = await answer.text();
    expect(pageText(html)).toContain(sentence);
    expect(rowsOf(html)).toHaveLength(50);
  });

  it.each([
    ['a seed phrase', Array(12).fill('abandon').join(' '), 'secretTitle'],
    ['a key or a hash', 'ab'.repeat(32), 'keyOrHashTitle'],
  ] as const)('leads away from %s, and warns', async (_, typed, title) => {
    const find = new URLSearchParams({ find: typed, chain: 'eth', lang: 'es' });
    const answer = await pages.get(`/leaderboard?${find}`);
    expect(answer.status).toBe(302);
    const to = String(answer.headers.get('location'));
    expect(to + (await answer.text())).not.toMatch(/abandon|abab/);
    const html = await pages.html(to);
    expect(pageText(html)).toContain(textsFor('es').link[title]);
    expect(html).not.toMatch(/abandon|abab/);
  });

  it('asks which one if several wallets have the name', async () => {
    const html = await pages.html('/leaderboard?find=twin');
    expect(pageText(html)).toContain(lists.leaderboard.several('twin'));
    for (const { address } of [ETH_B, ALGO_A]) {
      expect(html).toContain(`href="/leaderboard?find=${address}"`);
    }
  });

  it.each([
    ['vera.eth', 302, ''],
    ['gone.eth', 404, 'This name doesn’t lead to a wallet'],
    ['away.eth', 503, 'right now'],
    ['vera', 400, 'This isn’t a wallet address'],
  ])('opens the wallet of a verified name (%s)', async (name, status, sentence) => {
    const answer = await pages.get(`/wallet/${name}?lang=en`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('location')).toBe(
      status === 302 ? `/wallet/${ETH_A.address}?lang=en` : null,
    );
    expect(await answer.text()).toContain(sentence);
  });

  it('lists who has a badge, newest first, by pages', async () => {
    const html = await pages.html('/badges/diver');
    const text = pageText(html);
    expect(text).toContain(`${lists.badge.kind('Epic')} &lt;b&gt;bold&lt;/b&gt;`);
    expect(text).toContain(
      `${EN.stats.wallets} 60 ${lists.stats.share} ${lists.badge.shareOf('48.4%')}`,
    );
    const days = [...html.matchAll(/<time datetime="(2[^"]+)"/g)].map(([, time = '']) =>
      Date.parse(time),
    );
    const rows = days.slice(0, 50);
    expect(rows).toEqual(rows.toSorted((one, other) => other - one));
    const [, older = ''] = /href="([^"]+)">Earlier/.exec(html) ?? [];
    const next = pageText(await pages.html(older));
    expect(next).toContain('14 Nov 2023');
    expect(next).not.toContain(`${lists.badge.older} ›`);
    expect(next).toContain(`‹ ${lists.badge.newestFirst}`);
  });

  it.each([
    ['/badges/nobody', 200, lists.badge.none],
    ['/badges/no-such-badge', 404, lists.lost.badge.title],
    ['/badges/%3Ci%3E', 404, '&lt;i&gt;'],
    ['/badges/diver?after=1', 400, lists.lost.page.title],
    ['/badges/diver?after=1.x&after=2.x', 400, lists.lost.page.title],
  ])('answers %s with %i', async (path, status, sentence) => {
    const answer = await pages.get(path);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toContain(sentence);
  });

  it('shows tiers, chains and the distribution of scores, with tables', async () => {
    const html = await pages.html('/stats');
    const text = pageText(html);
    expect(text).toContain(
      `${EN.stats.wallets} 124 ${EN.stats.average} 216.61 ${EN.stats.badges} 60`,
    );
    expect(text).toContain(`${EN.tiers.Titan} ${EN.help.from('9,000')} 1 0.8%`);
    expect(text).toContain(`${EN.tiers.Shrimp} ${EN.help.from('0')} 120 96.8%`);
    expect(text).toContain('Solana 121 97.6%');
    expect(text).toContain('500–874 1 ');
    expect(text).toContain(`${lists.stats.over('12,000')} 0`);
    expect(html).toContain(`<svg class="ring" role="img" aria-label="${EN.stats.byChain}"`);
    // A legend and a table; nobody joins before the first activity.
    expect(text).toContain('Ethereum Solana Algorand 0 50 100');
    expect(html).toContain(
      `aria-label="${lists.stats.growth.about('14 Nov 2023', '124', '|', '').split('|')[0]}`,
    );
    expect(text).toContain(
      `${lists.stats.growth.by} Ethereum Solana Algorand ${lists.stats.growth.all} 14 Nov 2023 2 121 1 124 `,
    );
    // Powers of ten, since one range has more than all others together.
    expect(html).toMatch(
      /<svg class="plot distribution".*?>1<\/text>.*?>10<\/text>.*?>100<\/text>/s,
    );
  });
});

it("A page shows badges' pictures where there are some, over initials", async () => {
  const pages = await openPublicPages({ hasBadgePictures: true });
  await pages.add({
    badges: [badgeNamed('diver', { name: 'Deep Diver', tier: 'Epic' })],
    activities: [activityOf(ETH_A, 'a', { badge: 'diver' })],
  });
  const html = await pages.html('/badges/diver');
  // Networks that fetch it keep it: it waits for the operator's picture.
  const preview = /<meta property="og:image" content="([^"]*)">/.exec(html)?.[1];
  expect(preview).toMatch(new RegExp(`^${SITE}/badge-picture/diver/[\\w-]{10}\\.png$`));
  expect(html).toContain(
    `<meta property="og:image:alt" content="${lists.badge.alt('Deep Diver', 'Epic')}">`,
  );
  for (const page of [html, await pages.html(`/wallet/${ETH_A.address}`)]) {
    expect(page).toMatch(/>DeD<\/text><\/svg><img src="\/badge-picture\/diver\.png" alt=""/);
  }
  await pages.close();
});

it('A badge without a picture has the URL of one that we draw, in pages and `/v1` alike', async () => {
  const pages = await openPublicPages({ hasBadgePictures: true });
  await pages.add({
    badges: [badgeNamed('diver', { name: 'Deep Diver', imageUrl: '' })],
    activities: [activityOf(ETH_A, 'a', { badge: 'diver' })],
  });
  const one = await (await pages.get(`/v1/badges/${ETH_A.address}`)).json();
  const imageUrl = `${SITE}/badge-picture/diver.png`;
  expect(one).toMatchObject({ badges: [{ id: 'diver', imageUrl }] });
  const several = await (await pages.get(`/v1/badges?addresses=${ETH_A.address}`)).json();
  expect(several).toMatchObject({ results: [{ badges: [{ id: 'diver', imageUrl }] }] });
  expect(await pages.html('/badges/diver')).toContain('<img src="/badge-picture/diver.png"');
  await pages.close();
});

it('A page draws an empty database, too', async () => {
  const pages = await openPublicPages();
  const { stats, board } = {
    stats: await pages.get('/stats'),
    board: await pages.get('/leaderboard'),
  };
  expect(stats.status).toBe(200);
  const drawn = await stats.text();
  expect(pageText(drawn)).toContain('Wallets 0');
  // Neither axes without bars nor a ring without parts, which look like plots that failed to load.
  expect(drawn).not.toMatch(/<svg class="(?:plot|ring)/);
  expect(board.status).toBe(200);
  expect(pageText(await board.text())).toContain(EN.top.none);
  await pages.close();
});

it("A page says what another instance can't tell", async () => {
  const cannot = () => {
    throw new UserError('route-not-found', 'no such resource');
  };
  const pages = await openPublicPages({}, (source) =>
    ['badgeHolders', 'countFrom', 'growth'].reduce(
      (all, name) => withMethod(all, name as keyof Reading, cannot),
      source,
    ),
  );
  await pages.add({ activities: [activityOf(ETH_A, 'a')] });
  const stats = pageText(await pages.html('/stats'));
  expect(stats.split(lists.unsupported)).toHaveLength(3);
  const badge = await pages.get('/badges/diver');
  expect(badge.status).toBe(404);
  expect(pageText(await badge.text())).toContain(lists.lost.holders.about);
  await pages.close();
});
