import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createChatPictures } from '#app/chats/pictures';
import { RetryableError } from '#base/errors';
import type { Logger } from '#base/log';
import { pictureOn } from '#command/cards/card';
import type { CardRequest, Pictures } from '#pictures/shown/pictures';
import { type CardStyles, NO_STYLE } from '#pictures/style/index';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { answererWith, CALLER } from './support/ask.ts';
import { FixedSource, fixedWallets, WHALE } from './support/fixed-source.ts';
import { silentLog } from './support/log.ts';

const PNG = Uint8Array.of(1);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

interface Options {
  readonly publicUrl?: string;
  readonly draw?: () => Promise<Uint8Array>;
  readonly source?: FixedSource;
  readonly log?: Logger;
  readonly platform?: string;
  readonly cardStyles?: CardStyles;
  readonly community?: string;
}

/** Runs `/rep` and draws its picture. */
async function ask(options: Options = {}) {
  const { publicUrl, draw, source, log = silentLog, platform, cardStyles, community } = options;
  const requests: CardRequest[] = [];
  const pictures: Pick<Pictures, 'card'> = {
    async card(request) {
      requests.push(request);
      return { digest: 'abc', kept: undefined, draw: draw ?? (async () => PNG) };
    },
  };
  const base = source ?? new FixedSource(fixedWallets());
  const settings = { thresholds: DEFAULT_THRESHOLDS, isDemo: false };
  const parts = { pictures, source: base, settings, publicUrl, log };
  const pictureOf = createChatPictures({ ...parts, ...(cardStyles && { cardStyles }) });
  const card = await answererWith({ source: base, pictureOf }).answer({
    call: { command: 'rep', args: { wallet: WHALE.address } },
    caller: { ...CALLER, ...(platform && { platform }), community },
    locale: 'es-MX',
  });
  return { card, requests, picture: pictureOn(card) };
}

describe('the picture of /rep', () => {
  it('shows the figures of the answer, in its language', async () => {
    const { picture, requests } = await ask();
    expect(await picture).toMatchObject({ png: PNG, url: undefined });
    expect(requests[0]).toMatchObject({
      card: { score: 7420, rank: 2, totalUsers: 60, tier: 'Whale', name: 'vera.eth' },
      look: { language: 'es' },
    });
    expect((await picture)?.alt).toContain('7.420');
  });

  it.each([
    ['https://rep.example.org', true],
    ['https://rep.example.org/fathom', true],
    ['http://rep.example.org', false],
    ['https://rep.example.org:8443', false],
    ['https://192.0.2.1', false],
    ['https://[2001:db8::1]', false],
    ['https://fathom', false],
    ['https://fathom.internal', false],
    ['https://fathom.local', false],
  ])(
    'The picture of /rep from PUBLIC_URL=%s is fetched by the chats: %s',
    async (publicUrl, isFetched) => {
      const { picture } = await ask({ publicUrl });
      const url = `${publicUrl}/card/${WHALE.address}/abc.png?lang=es&theme=dark`;
      expect((await picture)?.url).toBe(isFetched ? url : undefined);
    },
  );

  it('is of this site on our own page', async () => {
    const { picture } = await ask({ publicUrl: 'https://rep.example.org', platform: 'web' });
    expect((await picture)?.url).toMatch(/^\/card\//);
  });

  it('has the style of its community, and then no address on the web', async () => {
    const banner = { png: PNG, digest: 'b'.repeat(22) };
    const style = { accent: 0x1790ed, banner: banner.digest };
    const cardStyles = {
      styleOf: async ({ id }: { id: string }) => (id === '7' ? style : NO_STYLE),
      bannerOf: async (_: unknown, { banner: digest }: { banner: string | undefined }) =>
        digest === undefined ? undefined : banner,
    } as unknown as CardStyles;
    const publicUrl = 'https://rep.example.org';
    const styled = await ask({ publicUrl, cardStyles, community: '7' });
    expect(await styled.picture).toMatchObject({ png: PNG, url: undefined });
    expect(styled.requests[0]?.style).toEqual({ accent: 0x1790ed, banner });
    for (const community of ['8', undefined]) {
      const plain = await ask({ publicUrl, cardStyles, ...(community && { community }) });
      expect((await plain.picture)?.url).toContain('/card/');
      expect(plain.requests[0]?.style).toBeUndefined();
    }
  });

  it('is left out where it is not ready in a second', async () => {
    const { picture } = await ask({ draw: () => new Promise(() => undefined) });
    let isOver = false;
    void picture.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await picture).toBeUndefined();
  });

  it('goes without a plot that is not ready in half a second', async () => {
    const source = new FixedSource(fixedWallets());
    source.history = () => new Promise(() => undefined) as never;
    const { picture, requests } = await ask({ source });
    await vi.advanceTimersByTimeAsync(500);
    expect(await picture).toBeDefined();
    expect(requests[0]?.card.history).toEqual([]);
  });

  it.each([
    ['too many', new RetryableError('busy'), 0],
    ['broken', new Error('no such font'), 1],
  ])('is left out where pictures are %s', async (_, error, reports) => {
    const errors: string[] = [];
    const log = { ...silentLog, error: (_: object, text: string) => void errors.push(text) };
    const { picture } = await ask({ draw: () => Promise.reject(error), log });
    expect(await picture).toBeUndefined();
    expect(errors).toHaveLength(reports);
  });
});
