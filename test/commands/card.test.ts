import { beforeEach, describe, expect, it } from 'vitest';
import { createCardStyles } from '#app/chats/pictures';
import { RetryableError, UserError } from '#base/errors';
import type { Caller } from '#command/account';
import type { Card } from '#command/cards/card';
import { LANGUAGES, textsFor } from '#command/texts/index';
import type { PictureParts } from '#pictures/shown/pictures';
import type { Banner, CardStyles } from '#pictures/style/index';
import type { Store } from '#storage/store';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { openMemoryStore } from '../support/empty-store.ts';
import { WHALE } from '../support/fixed-source.ts';
import { HOME } from '../support/gate-records.ts';
import { gatingWith } from '../support/gating.ts';
import { silentLog } from '../support/log.ts';

const EN = textsFor('en');

const BANNER: Banner = { png: Uint8Array.of(1, 2, 3), digest: 'b'.repeat(22) };
const URL_OF_IT = 'https://example.org/sea.png';
const CALLER: Caller = { platform: HOME.platform, id: '1', community: HOME.id };

let store: Store;
let fetched: string[];
let refusal: Error | undefined;
let styles: CardStyles;

beforeEach(() => {
  store = openMemoryStore();
  fetched = [];
  refusal = undefined;
  styles = createCardStyles({
    store: store.cardStyles,
    log: silentLog,
    async fetchBanner(url) {
      fetched.push(url);
      if (refusal !== undefined) throw refusal;
      return BANNER;
    },
  });
});

interface Said {
  readonly caller?: Caller;
  readonly isModerator?: boolean;
  readonly locale?: string;
  readonly command?: string;
}

async function say(
  args: Record<string, string>,
  { caller = CALLER, isModerator = true, locale = 'en', command = 'card' }: Said = {},
): Promise<Card> {
  const drawn: PictureParts[] = [];
  const answerer = answererWith({
    cardStyles: styles,
    gating: gatingWith({ store: store.gating }).gating,
    pictureOf: (parts) => {
      drawn.push(parts);
      return async () => undefined;
    },
  });
  const call = { command, args };
  return await answerer.answer({ call, caller, locale, isModerator: () => isModerator });
}

describe.each(LANGUAGES)('/card in %s', (language) => {
  it('shows a moderator each step', async () => {
    const shown: string[] = [];
    const show = async (args: Record<string, string>) => {
      const card = await say(args, { locale: language });
      const said = Object.entries(args).map(([name, value]) => ` ${name}:${value}`);
      const accent = card.accent === undefined ? '' : ` in ${card.accent.toString(16)}`;
      shown.push(`> /card${said.join('')}${accent}\n${cardText(card)}`);
    };
    await show({});
    await show({ action: 'colour' });
    await show({ action: 'colour', colour: 'mauve-ish' });
    await show({ action: 'colour', colour: '#ffd700' });
    await show({ action: 'colour', colour: '#003' });
    await show({ action: 'colour', colour: 'teal' });
    await show({ action: 'banner' });
    await show({ action: 'banner', url: URL_OF_IT });
    for (const code of ['banner-unreachable', 'banner-too-large', 'banner-unreadable'] as const) {
      refusal = new UserError(code, 'no');
      await show({ action: 'banner', url: URL_OF_IT });
    }
    await show({ action: 'reset' });
    await expect(shown.join('\n')).toMatchFileSnapshot(`golden/card.${language}.txt`);
  });
});

describe('/card', () => {
  it.each<[string, Said, 'gate-not-allowed' | 'gate-not-here']>([
    ['a member', { isModerator: false }, 'gate-not-allowed'],
    [
      'somebody outside of a community',
      { caller: { ...CALLER, community: undefined } },
      'gate-not-here',
    ],
    ['a visitor of the web', { caller: { ...CALLER, platform: 'web' } }, 'gate-not-here'],
  ])('is not for %s', async (_, said, code) => {
    const calls = [{}, { action: 'colour', colour: 'teal' }, { action: 'reset' }];
    for (const args of [...calls, { action: 'banner', url: URL_OF_IT }]) {
      const card = await say(args, said);
      expect(cardText(card)).toContain(textsFor('en').errors.of(new UserError(code, '')));
      expect(cardText(card)).not.toMatch(/\brules?\b/i);
    }
    expect(fetched).toEqual([]);
    expect(await store.gating.auditOf(HOME, undefined, 10, 0)).toEqual([]);
  });

  it('takes a colour without being told what to do with it', async () => {
    expect(await say({ colour: 'teal' })).toMatchObject({ accent: 0x009688 });
    expect(cardText(await say({ colour: 'banana' }))).toContain(
      EN.errors.of(new UserError('card-colour', '', [], { values: ['banana'] })),
    );
  });

  it('offers the nearest colour that fits, and takes it at a press', async () => {
    const refused = await say({ action: 'colour', colour: '#ffd700' });
    expect(await styles.styleOf(HOME)).toMatchObject({ accent: undefined });
    const [button] = refused.actions[0] ?? [];
    if (button === undefined || !('call' in button)) throw new Error('there is no button');
    expect(await say(button.call.args)).toMatchObject({ accent: 0xa58b03 });
  });

  it('colours every card of its community, but no error and no other community', async () => {
    await say({ action: 'colour', colour: 'teal' });
    const rep = { command: 'rep', locale: 'en' };
    const args = { wallet: WHALE.address };
    expect((await say(args, rep)).accent).toBe(0x009688);
    expect((await say(args, { ...rep, caller: { ...CALLER, community: '99' } })).accent).toBe(
      undefined,
    );
    expect((await say({ wallet: 'nobody' }, rep)).accent).toBeUndefined();
  });

  it('takes an upload or an address, and says that it takes no two', async () => {
    const picture = 'https://cdn.example.org/up.png';
    const both = await say({ action: 'banner', picture, url: URL_OF_IT });
    expect(cardText(both)).toContain(EN.card.eitherPicture);
    expect(fetched).toEqual([]);
    await say({ action: 'banner', picture });
    expect(fetched).toEqual([picture]);
    expect(await store.cardStyles.bannerOf(HOME)).toEqual(BANNER);
  });

  it('says that it could not be done while too much is fetched', async () => {
    refusal = new RetryableError('busy', { retryAfter: 5 });
    const card = await say({ action: 'banner', url: URL_OF_IT });
    expect(card.tone).toBe('warning');
    expect(await store.cardStyles.bannerOf(HOME)).toBeUndefined();
  });

  it('is in the log of /gate, in the language of the reader', async () => {
    await say({ action: 'colour', colour: '#1790ed' });
    await say({ action: 'banner', url: URL_OF_IT });
    await say({ action: 'reset' });
    const log = cardText(await say({ action: 'log' }, { command: 'gate', locale: 'es' }));
    const { events } = textsFor('es').gate;
    expect(log).toContain(events['card-colour']);
    expect(log).toContain('#1790ed');
    expect(log).toContain(events['card-banner']);
    expect(log).toContain(events['card-reset']);
  });
});
