import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { dateOf } from '#base/time/time';
import { textsFor } from '#command/texts/index';
import { wordsFor } from '#http/pages/words/index';
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
const { activityTypes: types } = EN;
const { wallet: words } = wordsFor(['en']).pages;

const NASTY = '<script>alert(1)</script>"\' &amp; \u202egnp.exe\u200b';
const FILLED = {
  badges: [
    badgeNamed('first-dive', { name: 'First Dive', tier: 'Common' }),
    badgeNamed('nasty', { name: NASTY, description: NASTY, tier: 'Legendary' }),
  ],
  names: [
    { wallet: ETH_A, displayName: 'vera' },
    { wallet: SOL_A, displayName: NASTY },
  ],
  activities: [
    activityOf(ETH_A, 'a1', { points: 7_000, description: 'Voted on proposal 7' }),
    activityOf(ETH_A, 'a2', { points: -80, type: 'adjustment', timestamp: 1_700_200_000 }),
    activityOf(ETH_A, 'a3', { points: 100, badge: 'first-dive', timestamp: 1_700_400_000 }),
    activityOf(SOL_A, 'b1', { points: 9_500, description: NASTY, type: 'swap' }),
    activityOf(SOL_A, 'b2', { points: 1, badge: 'nasty' }),
    activityOf(ALGO_A, 'c1', { points: 0 }),
  ],
};

function property(html: string, name: string): string | undefined {
  return new RegExp(`<meta property="${name}" content="([^"]*)">`).exec(html)?.[1];
}

describe("a wallet's page", () => {
  let pages: TestPages;
  beforeAll(async () => {
    pages = await openPublicPages();
    await pages.add(FILLED);
  });
  afterAll(() => pages.close());

  it('shows score, tier, rank, progress, badges, rules and activity', async () => {
    const text = pageText(await pages.html(`/wallet/${ETH_A.address}`));
    expect(text).toContain(`${words.on('Ethereum')} vera`);
    expect(text).toContain(
      `${words.score} 7,020 ${words.tier} Whale ${words.rank} 2 ${words.rankOf('3')}`,
    );
    expect(text).toContain(EN.rep.toNext(1_980, '1,980', 'Titan'));
    expect(text).toContain('First Dive Common · 19 Nov 2023');
    expect(text).toContain(`${words.rules.imported} ${words.rules.importedAbout(3, '3')} +7,020`);
    expect(text).toContain(`−80 did a2 ${types.adjustment} · 17 Nov 2023`);
    expect(text).toContain(`+7,000 Voted on proposal 7 ${types.governance_vote} · 14 Nov 2023`);
  });

  it('draws the history and has it as a table, too', async () => {
    const html = await pages.html(`/wallet/${ETH_A.address}`);
    const label = /<svg class="plot history" role="img" aria-label="([^"]+)"/.exec(html)?.[1] ?? '';
    const [begun = '', , ended = ''] = words.history
      .about('14 Nov 2023', '7,000', '|', '7,020')
      .split(/(\|)/);
    expect(label.startsWith(begun) && label.endsWith(ended)).toBe(true);
    const { asTable, day } = wordsFor(['en']).pages;
    expect(pageText(html)).toContain(
      `${asTable} ${day} ${words.score} 19 Nov 2023 7,020 17 Nov 2023 6,920 14 Nov 2023 7,000`,
    );
  });

  it('says so where it shows only the newest days', async () => {
    const history = (count: number) => () => ({
      address: ETH_A.address,
      days: Array.from({ length: count }, (_, i) => ({ day: dateOf(17_000 + i), score: i })),
    });
    const textWith = async (count: number) => {
      const own = await openPublicPages({}, (source) =>
        withMethod(source, 'history', history(count)),
      );
      await own.add({ activities: [activityOf(ETH_A, 'a')] });
      const text = pageText(await own.html(`/wallet/${ETH_A.address}`));
      await own.close();
      return text;
    };
    expect(await textWith(1_000)).toContain(words.history.newest('1,000'));
    const [before = '', after = ''] = words.history.newest('|').split('|');
    expect(await textWith(999)).not.toMatch(new RegExp(`${before}.*${after}`));
  });

  it('names tier and score in its preview, by absolute URLs', async () => {
    const html = await pages.html(`/wallet/${ETH_A.address}?lang=es`);
    const url = `${SITE}/wallet/${ETH_A.address}`;
    expect(property(html, 'og:url')).toBe(`${url}?lang=es`);
    const image = property(html, 'og:image') ?? '';
    expect(image).toMatch(new RegExp(`^${SITE}/card/${ETH_A.address}/[\\w-]{22}\\.png\\?lang=es$`));
    expect(property(html, 'og:image:alt')).toBe(
      wordsFor(['es']).pages.wallet.alt('vera', textsFor('es').tiers.Whale, '7.020'),
    );
    expect(html).toContain(`<link rel="canonical" href="${url}">`);
  });

  it('is the same page for every spelling of the address', async () => {
    const html = await pages.html(`/wallet/${ETH_A.address.toLowerCase()}`);
    expect(html).toContain(`href="${SITE}/wallet/${ETH_A.address}"`);
    expect(pageText(html)).toContain(ETH_A.address);
  });

  it.each([
    ['', { 'accept-language': 'es-MX,en;q=0.5' }, 'es'],
    ['', { 'accept-language': 'fr' }, 'en'],
    ['?lang=en', { 'accept-language': 'es' }, 'en'],
    ['?lang=xx', { 'accept-language': 'es' }, 'es'],
    ['', { 'accept-language': 'en', cookie: 'fathom_language=es' }, 'es'],
  ])("A wallet's page with %j and %j is in %s", async (query, headers, language) => {
    const answer = await pages.get(`/wallet/${ETH_A.address}${query}`, { ...headers });
    expect(await answer.text()).toContain(`<html lang="${language}"`);
    // A shared link's language only counts for that page.
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.headers.get('vary')).toContain('Accept-Language');
  });

  it('passes a chosen language on to the pages it links to', async () => {
    const html = await pages.html(`/wallet/${ETH_A.address}?lang=es`);
    expect(html).toContain('href="/leaderboard?lang=es"');
    expect(html).toContain('href="/badges/first-dive?lang=es"');
    expect(await pages.html(`/wallet/${ETH_A.address}`)).toContain('href="/leaderboard"');
  });

  it('escapes texts of strangers and takes invisible signs out', async () => {
    const html = await pages.html(`/wallet/${SOL_A.address}`);
    expect(html).not.toContain('<script>alert');
    expect(html).not.toMatch(/[\u202e\u200b]/);
    expect(html).toContain('<h1><bdi>&lt;script&gt;alert(1)&lt;/script&gt;&quot;');
    expect(property(html, 'og:title')).toContain('&lt;script&gt;');
  });

  it.each([
    [SOL_B.address, 404, 'No activity yet'],
    ['0x12', 400, 'This isn’t a wallet address'],
    [ETH_A.address.replace('A', 'a'), 400, 'This isn’t a wallet address'],
    ['%3Cscript%3E', 400, '&lt;script&gt;'],
    [encodeURIComponent('\u202e0x'), 400, 'This isn’t a wallet address'],
  ])("A wallet's page of %s is a page with %i", async (address, status, text) => {
    const answer = await pages.get(`/wallet/${address}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const html = await answer.text();
    expect(pageText(html)).toContain(text);
    expect(html).toContain('<meta name="robots" content="noindex">');
    expect(html).not.toContain('\u202e');
  });

  it('has the security headers of the other pages, and no inline code', async () => {
    const answer = await pages.get(`/wallet/${ETH_A.address}`);
    const policy = answer.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("style-src 'self'");
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await answer.text()).not.toMatch(
      /\sstyle=|<style|\son\w+=|<script(?! type="module" src=)/,
    );
  });

  it('links to no chat account, whoever has linked the wallet', async () => {
    const html = await pages.html(`/wallet/${ETH_A.address}`);
    expect(html).not.toMatch(/discord|telegram:/i);
  });

  it('invites to the chats that are connected', async () => {
    const invitations = () => [{ label: 'Discord', url: 'https://discord.com/x?a=1&b=2' }];
    const invited = await openPublicPages({ invitations });
    await invited.add(FILLED);
    const html = await invited.html(`/wallet/${ETH_A.address}`);
    await invited.close();
    expect(html).toContain(
      'href="https://discord.com/x?a=1&amp;b=2" rel="noopener external">Add to Discord<',
    );
  });
});

describe('what public pages cost and keep', () => {
  it('answers 304 until the data changes', async () => {
    const pages = await openPublicPages();
    await pages.add(FILLED);
    const path = `/wallet/${ETH_A.address}`;
    const etag = (await pages.get(path)).headers.get('etag') ?? '';
    for (const known of ['*', `"other", ${etag}`, etag.replace('W/', '')]) {
      expect((await pages.get(path, { 'if-none-match': known })).status, known).toBe(304);
    }
    const again = await pages.get(path, { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect(again.headers.get('cache-control')).toMatch(/^public, max-age=30/);
    await pages.add({ activities: [activityOf(ETH_A, 'a9', { points: 1_000 })] });
    const changed = await pages.get(path, { 'if-none-match': etag });
    expect(changed.status).toBe(200);
    expect(pageText(await changed.text())).toContain('Score 8,020');
    await pages.close();
  });

  it('renders a page once for readers who come at the same time, and each language once', async () => {
    let readings = 0;
    const pages = await openPublicPages({}, (source) => ({
      recognise: (text) => source.recognise(text),
      reading: (urgency) => {
        const reading = source.reading(urgency);
        const { history } = reading;
        reading.history = (...asked) => {
          readings++;
          return history.apply(reading, asked);
        };
        return reading;
      },
    }));
    await pages.add(FILLED);
    const path = `/wallet/${ETH_A.address}`;
    await Promise.all([pages.html(path), pages.html(path), pages.html(path)]);
    await pages.html(path);
    expect(readings).toBe(1);
    await pages.html(`${path}?lang=es`);
    expect(readings).toBe(2);
    await pages.close();
  });

  it("limits a client's pages, which don't count against the API's quota", async () => {
    const pages = await openPublicPages({ pagesAMinute: 6 });
    await pages.add(FILLED);
    const path = `/wallet/${ETH_A.address}`;
    for (let i = 0; i < 6; i++) expect((await pages.get(path)).status).toBe(200);
    const refused = await pages.get(path, { 'accept-language': 'es' });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(pageText(await refused.text())).toContain(wordsFor(['es']).pages.lost.tooMany.title);
    const answer = await pages.get(`/v1/reputation/${ETH_A.address}`);
    expect(answer.headers.get('ratelimit')).toContain('r=4;');
    await pages.close();
  });

  it.each([
    [new RetryableError('away'), 'unavailable right now', 'no-store'],
    [new UserError('route-not-found', 'no such resource'), 'doesn’t offer this part', /^public/],
  ])('says which part is missing (%s)', async (error, sentence, cached) => {
    const pages = await openPublicPages({}, (source) =>
      withMethod(source, 'breakdown', () => Promise.reject(error)),
    );
    await pages.add(FILLED);
    const answer = await pages.get(`/wallet/${ETH_A.address}`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toMatch(cached);
    const text = pageText(await answer.text());
    expect(text).toContain('Score 7,020');
    expect(text).toContain(sentence);
    await pages.close();
  });

  it('calls a rule by its title, above the rule in words, and escapes both', async () => {
    const share = {
      ...{ id: 'vote', version: 1, points: 7_020, count: 2, capped: 0, decayed: 0, discounted: 0 },
      ...{
        title: `Voted ${NASTY}`,
        words: '7,020 points <for> each',
        newest: '2023-11-14T00:00:00Z',
      },
    };
    const breakdown = {
      ...{ address: ETH_A.address, score: 7_020, rules: [share] },
      ...{ imported: { points: 0, count: 0 }, asOf: '2023-11-15T00:00:00Z' },
    };
    const pages = await openPublicPages({}, (source) =>
      withMethod(source, 'breakdown', () => Promise.resolve(breakdown)),
    );
    await pages.add(FILLED);
    const html = await pages.html(`/wallet/${ETH_A.address}`);
    expect(html).toContain('<bdi>Voted &lt;script&gt;alert(1)&lt;/script&gt;');
    expect(html).toContain('7,020 points &lt;for&gt; each</small>');
    await pages.close();
  });

  it('says that the data may be outdated', async () => {
    const pages = await openPublicPages({}, (source) => withMethod(source, 'isStale', true));
    await pages.add(FILLED);
    const answer = await pages.get(`/wallet/${ETH_A.address}`);
    expect(answer.headers.get('reputation-status')).toBe('stale');
    expect(pageText(await answer.text())).toContain(`${textsFor('en').staleWhy}.`);
    await pages.close();
  });

  it.each([
    [new RetryableError('postgres://secret away', { retryAfter: 7 }), 503, 'unavailable right now'],
    [new UserError('wrong-configuration', 'secret.db is corrupt'), 503, 'unavailable right now'],
    [new TypeError('secret'), 500, 'Something went wrong on our side'],
  ])('is a page when nothing can be read (%s)', async (error, status, sentence) => {
    const pages = await openPublicPages({}, (source) =>
      withMethod(source, 'reputation', () => Promise.reject(error)),
    );
    await pages.add(FILLED);
    const answer = await pages.get(`/wallet/${ETH_B.address}`);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('retry-after')).toBe(
      error instanceof RetryableError ? '7' : status === 503 ? '60' : null,
    );
    const html = await answer.text();
    expect(html).toContain(sentence);
    expect(html).not.toContain('secret');
    await pages.close();
  });
});
