import Fastify, { type FastifyInstance } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { RetryableError } from '#base/errors';
import { createPictureRoutes } from '#http/pages/pictures/routes';
import type { RenderJob } from '#pictures/render/renderer';
import {
  badgePicturePath,
  cardPath,
  datedBadgePath,
  datedCardPath,
  type Pictures,
} from '#pictures/shown/pictures';
import type { RankCard } from '#pictures/shown/rank-card';
import { openPictures } from '#pictures/studio';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { FixedSource, fixedWallets, TITAN, UNSEEN, WHALE } from '../../support/fixed-source.ts';
import { silentLog } from '../../support/log.ts';

interface Site {
  readonly app: FastifyInstance;
  readonly source: FixedSource;
  readonly jobs: Extract<RenderJob, { kind: 'card' }>[];
  get(url: string, headers?: Record<string, string>): Promise<Response>;
  /** Lets milliseconds pass. */
  tick(ms: number): void;
}

type Response = Awaited<ReturnType<FastifyInstance['inject']>>;

/** Routes over a renderer that only records what to draw. */
async function site(
  render = async (): Promise<Uint8Array> => Uint8Array.of(1, 2, 3),
  isFull = () => false,
): Promise<Site> {
  const source = new FixedSource(fixedWallets());
  const jobs: Site['jobs'] = [];
  const pictures: Pictures = openPictures({
    log: silentLog,
    renderer: {
      get isFull() {
        return isFull();
      },
      render(job) {
        if (job.kind === 'card') jobs.push(job);
        return render();
      },
      close: async () => undefined,
    },
  });
  let now = 0;
  const tick = (ms: number) => {
    now += ms;
  };
  const app = Fastify();
  onTestFinished(() => app.close());
  createPictureRoutes({
    ...{ pictures, source, log: silentLog, clock: () => now },
    wallets: createWalletParser(chains),
    settings: { thresholds: DEFAULT_THRESHOLDS, isDemo: false },
    clientOf: ({ headers }) => String(headers['x-client'] ?? ''),
  })(app);
  const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });
  return { app, source, jobs, get, tick };
}

const CARD = cardPath(WHALE.address, 'png', {});

describe('/card', () => {
  it('serves a picture that nothing can run in', async () => {
    const { get, jobs } = await site();
    for (const [url, type] of [
      [CARD, 'image/png'],
      [`/card/${WHALE.address}.svg`, 'image/svg+xml'],
    ] as const) {
      const { statusCode, headers, rawPayload } = await get(url);
      expect([statusCode, headers['content-type']]).toEqual([200, type]);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
      expect(headers['cache-control']).toBe('public, max-age=30, stale-while-revalidate=60');
      expect([...rawPayload]).toEqual([1, 2, 3]);
    }
    expect(jobs.map(({ format }) => format)).toEqual(['png', 'svg']);
  });

  it('shows what the API says', async () => {
    const { get, jobs, source } = await site();
    await get(CARD);
    const { tier, score, rank, totalUsers } = source.reputation(WHALE) ?? {};
    expect(jobs[0]?.card).toMatchObject({ name: 'vera.eth', tier, score, rank, totalUsers });
    expect(jobs[0]?.card.progress).toMatchObject({ next: 'Titan', missing: 9000 - 7420 });
    expect(jobs[0]?.card.badges.map((each) => each.tier)).toEqual([
      ...['Legendary', 'Legendary', 'Epic', 'Rare', 'Rare', 'Uncommon'],
    ]);
    expect(jobs[0]?.card.badgeTotal).toBe(8);
    expect(jobs[0]?.card.history.at(-1)?.[1]).toBe(7420);
  });

  it('takes language and theme from the query, then the language from the browser', async () => {
    const { get, jobs } = await site();
    await get(`${CARD}?lang=es&theme=light`);
    await get(CARD, { 'accept-language': 'de, es-MX;q=0.9, en;q=0.8' });
    await get(`${CARD}?lang=en`, { 'accept-language': 'es' });
    expect(jobs.map(({ look }) => look)).toEqual([
      { language: 'es', theme: 'light' },
      { language: 'es', theme: 'dark' },
      { language: 'en', theme: 'dark' },
    ]);
    expect((await get(CARD)).headers.vary).toBe('Accept-Language');
  });

  it.each([
    ['?size=2', 'unknown-parameter'],
    ['?theme=blue', 'invalid-parameter'],
    ['?lang=fr', 'invalid-parameter'],
    ['?lang=', 'invalid-parameter'],
    ['?lang=en&lang=en', 'duplicate-parameter'],
    ['?__proto__=x', 'unknown-parameter'],
  ])('refuses %s', async (query, code) => {
    const { get, jobs } = await site();
    const answer = await get(`${CARD}${query}`);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toMatchObject({ code, status: 400 });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(jobs).toEqual([]);
  });

  it('distinguishes a wallet never seen from what is no address', async () => {
    const { get } = await site();
    expect((await get(`/card/${UNSEEN.address}.png`)).json()).toMatchObject({
      ...{ status: 404, code: 'wallet-not-found' },
    });
    expect((await get('/card/hello.png')).json()).toMatchObject({
      ...{ status: 400, code: 'invalid-address' },
    });
    expect((await get(`/card/${WHALE.address}.gif`)).statusCode).toBe(404);
    expect((await get(`/card/${WHALE.address}`)).statusCode).toBe(404);
  });

  it('answers HEAD as GET, and 304 to those who have the picture', async () => {
    const { app, get, jobs } = await site();
    const head = await app.inject({ method: 'HEAD', url: CARD });
    const first = await get(CARD);
    const { etag = '' } = first.headers;
    expect(head.headers).toEqual(first.headers);
    for (const known of [String(etag), `"x", ${etag}`, '*', String(etag).slice(2)]) {
      const again = await get(CARD, { 'if-none-match': known });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
    }
    expect((await get(CARD, { 'if-none-match': '"other"' })).statusCode).toBe(200);
    expect((await get(`${CARD}?theme=light`)).headers.etag).not.toBe(etag);
    expect(jobs).toHaveLength(2);
  });

  it('is drawn again when anything on it changes', async () => {
    const { get, source, jobs } = await site();
    const { etag } = (await get(CARD)).headers;
    expect((await get(CARD)).headers.etag).toBe(etag);
    source.isStale = true;
    expect((await get(CARD)).headers.etag).not.toBe(etag);
    expect(jobs).toHaveLength(2);
  });

  it('shows the newest picture under a digest that is old', async () => {
    const { get } = await site();
    const dated = await get(datedCardPath(WHALE.address, 'abc', { language: 'en' }));
    expect(dated.headers.etag).toBe((await get(`${CARD}?lang=en`)).headers.etag);
  });

  it('counts new pictures alone, for each client', async () => {
    const { get, source } = await site();
    const ask = (url: string, client: string) => get(url, { 'x-client': client });
    const addresses = source
      .leaderboard({ chain: 'all', limit: 60, offset: 0 })
      .leaderboard.map(({ address }) => address);
    const urls = addresses.flatMap((address) =>
      ['light', 'dark', 'x'].map((theme) =>
        theme === 'x' ? `/card/${address}.svg` : `/card/${address}.png?theme=${theme}`,
      ),
    );
    for (const url of urls.slice(0, 120)) expect((await ask(url, 'a')).statusCode).toBe(200);
    const refused = await ask(urls[120] ?? '', 'a');
    expect(refused.statusCode).toBe(429);
    expect(refused.headers['retry-after']).toBe('60');
    expect(refused.json()).toMatchObject({ code: 'rate-limited' });
    expect((await ask(urls[5] ?? '', 'a')).statusCode).toBe(200);
    expect((await ask(urls[120] ?? '', 'b')).statusCode).toBe(200);
    expect((await ask(urls[120] ?? '', 'a')).statusCode).toBe(200);
  });

  it('reads a card once for as long as the data is the same', async () => {
    const { get, source, tick } = await site();
    let reads = 0;
    const { history } = source;
    source.history = (wallet) => {
      reads += 1;
      return history.call(source, wallet);
    };
    await Promise.all([get(CARD), get(CARD), get(`${CARD}?theme=light`)]);
    for (let asked = 0; asked < 400; asked += 1) {
      expect((await get(CARD, { 'if-none-match': '*' })).statusCode).toBe(304);
    }
    expect(reads).toBe(1);
    Object.assign(source, { revision: 'newer' });
    await get(CARD);
    expect(reads).toBe(2);
    tick(30_000);
    await get(CARD);
    expect(reads).toBe(3);
  });

  it('counts what is read for a client that draws nothing', async () => {
    const { get, source } = await site();
    const ask = (client: string) => get(CARD, { 'if-none-match': '*', 'x-client': client });
    for (let asked = 0; asked < 300; asked += 1) {
      Object.assign(source, { revision: `r${asked}` });
      expect((await ask('a')).statusCode).toBe(304);
    }
    expect((await ask('a')).statusCode).toBe(304);
    Object.assign(source, { revision: 'newest' });
    const refused = await ask('a');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '60']);
    expect((await ask('b')).statusCode).toBe(304);
    expect((await ask('a')).statusCode).toBe(304);
  });

  it('draws a picture once for all who wait for it', async () => {
    const gate = Promise.withResolvers<Uint8Array>();
    const { get, jobs } = await site(() => gate.promise);
    const both = Promise.all([get(CARD), get(CARD)]);
    await expect.poll(() => jobs.length).toBe(1);
    gate.resolve(Uint8Array.of(7));
    for (const each of await both) expect([...each.rawPayload]).toEqual([7]);
    expect(jobs).toHaveLength(1);
  });

  it('asks for patience where the pictures are too many', async () => {
    const busy = new RetryableError('Too many pictures are being drawn.', { retryAfter: 2 });
    const { get } = await site(() => Promise.reject(busy));
    const answer = await get(CARD);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('reads no wallet while nothing more can be drawn, but gives what is kept', async () => {
    let isFull = false;
    const { get, source } = await site(undefined, () => isFull);
    await get(CARD);
    isFull = true;
    const { asked } = source;
    const answer = await get(`/card/${TITAN.address}.png`);
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '2']);
    expect(source.asked).toBe(asked);
    expect((await get(CARD)).statusCode).toBe(200);
  });

  it('leaves the plot out where it cannot be had, or is of another moment', async () => {
    const { get, source, jobs } = await site();
    source.history = () => {
      throw new RetryableError('away');
    };
    expect((await get(CARD)).statusCode).toBe(200);
    const days: RankCard['history'] = [];
    source.history = () => ({ address: TITAN.address, days: [{ day: '2026-01-01', score: 1 }] });
    await get(`/card/${TITAN.address}.png`);
    expect(jobs.map(({ card }) => card.history)).toEqual([days, days]);
  });
});

describe('/badge-picture', () => {
  it('draws a badge that has no picture, for everybody alike', async () => {
    const { get, source } = await site();
    const [badge] = source.badges(WHALE)?.badges ?? [];
    const url = badgePicturePath(badge!);
    expect((await get(url)).statusCode).toBe(404);
    Object.assign(source, { badgeWithId: (id: string) => (id === badge?.id ? badge : undefined) });
    const drawn = await get(url);
    expect([drawn.statusCode, drawn.headers['content-type']]).toEqual([200, 'image/png']);
    const { etag } = drawn.headers;
    expect((await get(url, { 'if-none-match': String(etag) })).statusCode).toBe(304);
    expect((await get(`${url}?lang=en`)).statusCode).toBe(400);
    expect((await get(badgePicturePath({ id: '../x' }))).statusCode).toBe(404);
    const dated = await get(datedBadgePath(badge!, 'abc'));
    expect([dated.statusCode, dated.headers.etag]).toEqual([200, etag]);
  });
});
