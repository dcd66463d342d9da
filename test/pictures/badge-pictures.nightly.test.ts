import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { HttpFailure, JsonReply } from '#base/json-http/reply';
import { type BadgePicture, BadgePictures } from '#pictures/badge-pictures';
import type { RenderJob } from '#pictures/render/renderer';
import { BADGE_SIZE } from '#pictures/shown/pictures';
import { openPictures } from '#pictures/studio';
import { silentLog } from '../support/log.ts';
import { doorTo, servePictures } from '../support/picture-server.ts';
import { rankCard } from '../support/rank-card.ts';

const SVG =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z" fill="red"/></svg>';
const HOUR = 3_600_000;

function badgesBehind(privateNetworks: readonly string[]) {
  const said: string[] = [];
  const log = { ...silentLog, warn: (fields: object) => void said.push(JSON.stringify(fields)) };
  const { fetch, reencode } = doorTo(privateNetworks);
  const badges = new BadgePictures({ fetch, reencode: (file) => reencode(file, BADGE_SIZE), log });
  return { badges, said };
}

describe('the picture of a badge', () => {
  it('is fetched, re-encoded and kept', async () => {
    let asked = 0;
    const url = await servePictures((_, response) => {
      asked += 1;
      response.end(SVG);
    });
    const { badges } = badgesBehind(['127.0.0.1/32']);
    expect(badges.get(url)).toBeUndefined();
    await Promise.all([badges.load(url), badges.load(url)]);
    const picture = badges.get(url);
    expect(Buffer.from(picture?.png ?? []).toString('latin1', 1, 4)).toBe('PNG');
    expect(asked).toBe(1);
  });

  it('is refused at a private address, and behind a redirect to one', async () => {
    let reached = 0;
    const inside = await servePictures((_, response) => {
      reached += 1;
      response.end(SVG);
    });
    const url = await servePictures((_, response) => {
      response.writeHead(302, { location: inside.replace('127.0.0.1', '127.0.0.2') }).end();
    });
    const { badges, said } = badgesBehind(['127.0.0.1/32']);
    const strict = badgesBehind([]);
    await Promise.all([badges.load(url), strict.badges.load(inside)]);
    expect([badges.get(url), strict.badges.get(inside)]).toEqual([undefined, undefined]);
    expect(said.join()).toContain('is at a private address');
    expect(strict.said.join()).toContain('is at a private address');
    expect(reached).toBe(0);
  });

  it('is identified by its address if that has no host', async () => {
    const { badges, said } = badgesBehind([]);
    await badges.load('https://example.org:99999/x.png');
    expect(said).toEqual([
      '{"imageUrl":"https://example.org:99999/x.png","reason":"has no usable URL"}',
    ]);
  });

  it('is refused as soon as it is too large, also where it is packed', async () => {
    const megabyte = Buffer.alloc(1_000_000);
    let sent = 0;
    const url = await servePictures((_, response) => {
      const more = () => {
        sent += 1;
        if (sent < 1_000 && !response.destroyed) response.write(megabyte, () => setImmediate(more));
      };
      more();
    });
    const { badges, said } = badgesBehind(['127.0.0.1/32']);
    await badges.load(url);
    expect(badges.get(url)).toBeUndefined();
    expect(said.join()).toContain('too large');
    expect(sent).toBeLessThan(100);
    const packed = await servePictures((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(50_000_000)));
    });
    await badges.load(packed);
    expect(badges.get(packed)).toBeUndefined();
    expect(said[1]).toContain('too large');
  });

  it('is drawn instead where it cannot be had, and so is all else on the card', async () => {
    const jobs: RenderJob[] = [];
    const renderer = {
      isFull: false,
      async render(job: RenderJob) {
        jobs.push(job);
        return Uint8Array.of(1);
      },
      close: async () => undefined,
    };
    const { badges } = badgesBehind([]);
    const pictures = openPictures({ badges, renderer, log: silentLog });
    const base = rankCard();
    const [first, ...others] = base.badges.map((badge) => ({
      ...badge,
      imageUrl: 'https://10.0.0.1/',
    }));
    const card = { ...base, badges: first === undefined ? [] : [first, ...others] };
    const look = { language: 'en', theme: 'dark' } as const;
    await (await pictures.card({ card, look, format: 'png' })).draw();
    expect(jobs).toMatchObject([{ kind: 'card', pngs: new Map() }]);
    await (await pictures.badge(card.badges[0]!, false)).draw();
    expect(jobs[1]).toMatchObject({ kind: 'badge' });
  });
});

it('A card does not wait for each picture of a host that hangs', async () => {
  let now = 0;
  const asked: string[] = [];
  const badges = new BadgePictures({
    async fetch(url) {
      asked.push(url);
      throw new HttpFailure('timeout', 'took too long to respond');
    },
    reencode: async (file) => file,
    log: silentLog,
    clock: () => now,
  });
  const first = 'https://slow.example/1.png';
  const second = 'https://slow.example/2.png';
  const elsewhere = 'https://other.example/1.png';
  await badges.load(first);
  await badges.load(second);
  await badges.load(elsewhere);
  expect(asked).toEqual([first, elsewhere]);
  now = 61_000;
  await badges.load(second);
  expect(asked).toEqual([first, elsewhere, second]);
});

it('A picture is tried again soon if its decoder was killed', async () => {
  let now = 0;
  let killed = 1;
  const badges = new BadgePictures({
    fetch: async () => new JsonReply(200, {}, Uint8Array.of(1)),
    async reencode(file) {
      if (killed-- > 0) throw new RetryableError('the decoder was killed');
      return file;
    },
    log: silentLog,
    clock: () => now,
  });
  await badges.load('https://a.example/1.png');
  expect(badges.get('https://a.example/1.png')).toBeUndefined();
  now = 60_000;
  await badges.load('https://a.example/1.png');
  expect(badges.get('https://a.example/1.png')).toBeDefined();
});

it('A picture that stays away is warned of once, and again after it was there', async () => {
  const warned: unknown[] = [];
  const clock = { now: 0 };
  let status = 404;
  const badges = new BadgePictures({
    fetch: async () => new JsonReply(status, {}, new Uint8Array()),
    reencode: async (file) => file,
    log: { ...silentLog, warn: ({ reason }) => void warned.push(reason) },
    clock: () => clock.now,
  });
  for (const next of [404, 404, 500, 500, 200, 500]) {
    status = next;
    await badges.load('https://a.example/1.png');
    clock.now += 25 * HOUR;
  }
  expect(warned).toHaveLength(3);
});

describe('a picture that is on its way', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
  afterEach(() => void vi.useRealTimers());

  /** @returns what both have in the end, if the picture arrives after this time */
  async function arrivingAfter(milliseconds: number) {
    let picture: BadgePicture | undefined;
    const arrived = Promise.withResolvers<void>();
    const badges = { get: () => picture, load: () => arrived.promise };
    const jobs: RenderJob[] = [];
    const renderer = {
      isFull: false,
      render: async (job: RenderJob) => Uint8Array.of(jobs.push(job)),
      close: async () => undefined,
    };
    const pictures = openPictures({ badges, renderer, log: silentLog });
    const card = rankCard();
    const [first] = card.badges;
    const look = { language: 'en', theme: 'dark' } as const;
    const lasting = pictures.badge(first!, true);
    const onPage = pictures.badge(first!, false);
    const onCard = pictures.card({ card, look, format: 'png' });
    await vi.advanceTimersByTimeAsync(milliseconds);
    picture = { png: Uint8Array.of(7), digest: 'd' };
    arrived.resolve();
    await (await onCard).draw();
    const [job] = jobs;
    return {
      lasting: (await lasting).kept !== undefined,
      onPage: (await onPage).kept !== undefined,
      onCard: job?.kind === 'card' && job.pngs.size > 0,
    };
  }

  it('is waited for where it will be kept for days, and shortly by a page and a card', async () => {
    const soon = { lasting: true, onPage: true, onCard: true };
    const late = { lasting: true, onPage: false, onCard: false };
    expect(await arrivingAfter(499)).toEqual(soon);
    expect(await arrivingAfter(501)).toEqual(late);
    expect(await arrivingAfter(5_999)).toEqual(late);
    expect(await arrivingAfter(6_001)).toEqual({ ...late, lasting: false });
  });
});

describe('pictures that are kept', () => {
  /** With responses from a list, and a clock that the test sets. */
  function kept(answers: readonly (() => JsonReply | Promise<JsonReply>)[]) {
    const clock = { now: 0 };
    const asked: (string | undefined)[] = [];
    const badges = new BadgePictures({
      fetch: async (_, headers) => {
        asked.push(headers['if-none-match']);
        const answer = answers[asked.length - 1];
        if (answer === undefined) throw new Error('away');
        return answer();
      },
      reencode: async (file) => file,
      log: silentLog,
      clock: () => clock.now,
    });
    const text = () => {
      const picture = badges.get('u');
      return picture && new TextDecoder().decode(picture.png);
    };
    return { badges, clock, asked, text };
  }
  const reply = (text: string, etag?: string) => () =>
    new JsonReply(200, etag === undefined ? {} : { etag }, new TextEncoder().encode(text));

  it('are asked for again after a day, by their tag', async () => {
    const unchanged = () => new JsonReply(304, {}, new Uint8Array());
    const { badges, clock, asked, text } = kept([
      reply('old', '"1"'),
      unchanged,
      reply('new', '"2"'),
    ]);
    await badges.load('u');
    clock.now = 24 * HOUR - 1;
    await badges.load('u');
    expect(asked).toEqual([undefined]);
    clock.now += 1;
    expect(text()).toBe('old');
    await badges.load('u');
    expect([text(), asked]).toEqual(['old', [undefined, '"1"']]);
    clock.now += 24 * HOUR;
    await badges.load('u');
    expect([text(), asked.length]).toEqual(['new', 3]);
  });

  it('stay while their server is away, which is asked once an hour', async () => {
    const { badges, clock, asked, text } = kept([reply('old')]);
    await badges.load('u');
    for (const hours of [24, 24.5, 25, 25.5]) {
      clock.now = hours * HOUR;
      await badges.load('u');
    }
    expect(text()).toBe('old');
    expect(asked).toHaveLength(3);
  });

  it('wait for each other, two at a time, and never in an endless line', async () => {
    const gates: PromiseWithResolvers<JsonReply>[] = [];
    const badges = new BadgePictures({
      fetch: () => {
        const gate = Promise.withResolvers<JsonReply>();
        gates.push(gate);
        return gate.promise;
      },
      reencode: async (file) => file,
      log: silentLog,
    });
    const loads = Array.from({ length: 110 }, (_, i) => badges.load(`u${i}`));
    expect(gates).toHaveLength(2);
    // The last eight were rejected.
    await Promise.all(loads.slice(102));
    for (let i = 0; i < 102; i++) {
      await expect.poll(() => gates.length).toBeGreaterThan(i);
      expect(gates.length).toBeLessThanOrEqual(i + 2);
      gates[i]?.resolve(reply('x')());
      await loads[i];
    }
    expect(badges.get('u101')).toBeDefined();
    expect(badges.get('u109')).toBeUndefined();
  });
});
