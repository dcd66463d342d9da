import { expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { textsFor } from '#command/texts/index';
import { testApi } from '../support/api.ts';
import { answererWith, ask } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { FixedSource, fixedWallets, NOW, TITAN, UNSEEN, WHALE } from '../support/fixed-source.ts';
import { fakeUpstream, upstreamAt } from '../support/upstream.ts';

const EN = textsFor('en');

const wallet = WHALE.address;

it.each([
  ['rep', { wallet }],
  ['badges', { wallet }],
  ['activity', { wallet }],
  ['why', { wallet }],
  ['top', {}],
  ['stats', {}],
] as const)('/%s says that its data is stale, since when and why', async (command, args) => {
  const source = new FixedSource(fixedWallets());
  const answerer = answererWith({ source });
  expect(cardText(await ask(answerer, command, args))).not.toContain(EN.staleWhy);
  source.isStale = true;
  source.ageSeconds = 3600;
  const card = await ask(answerer, command, args);
  expect(card.footer).toContainEqual({ time: NOW - 3600, style: 'clock' });
  expect(cardText(card)).toContain(EN.staleWhy);
  expect(cardText(await ask(answerer, command, args, 'es'))).toContain(textsFor('es').staleWhy);
});

it('The bot shows the same as the other instance for every command that queries it', async () => {
  const fixed = new FixedSource(fixedWallets());
  // The API doesn't tell of events or units, so there are no links to explorers.
  fixed.tellsMore = false;
  const api = await testApi({ source: fixed });
  const { source } = upstreamAt(`${api.url}/v1`);
  const [there, here] = [answererWith({ source: fixed }), answererWith({ source })];
  const calls: [string, Record<string, string>][] = [
    ...['rep', 'badges', 'activity', 'why', 'top'].flatMap((command) =>
      [WHALE, TITAN, UNSEEN].map(({ address }): [string, Record<string, string>] => [
        command,
        { wallet: address },
      ]),
    ),
    ['rep', { wallet: WHALE.address, chain: 'eth' }],
    ['rep', { wallet: WHALE.address, chain: 'sol' }],
    ['rep', { wallet: '0x12' }],
    ['top', {}],
    ['top', { chain: 'sol', page: '2' }],
    ['top', { page: '999' }],
    ['stats', {}],
  ];
  // Once from the upstream, once from the cache.
  for (const [command, args] of [...calls, ...calls]) {
    for (const locale of ['en', 'es']) {
      expect(await ask(here, command, args, locale)).toEqual(
        await ask(there, command, args, locale),
      );
    }
  }
  expect(await here.suggest({ platform: 'web', id: '1' }, 'vera')).toEqual(
    await there.suggest({ platform: 'web', id: '1' }, 'vera'),
  );
});

it('The bot says in plain words that there is nothing to show', async () => {
  const fake = await fakeUpstream((_, res) => res.writeHead(500).end());
  const { source } = upstreamAt(fake.url);
  const card = await ask(answererWith({ source }), 'rep', { wallet });
  expect(card.tone).toBe('warning');
  expect(cardText(card)).toContain(EN.errors.unavailable(5));
});

it('The bot says in /why that an upstream lacks explanations', async () => {
  const fake = await fakeUpstream((request, res) => {
    const isBreakdown = request.url?.includes('/breakdown/');
    res.writeHead(isBreakdown ? 404 : 200, { 'Content-Type': 'application/json' });
    res.end(isBreakdown ? '{}' : JSON.stringify({ address: wallet, activities: [], total: 0 }));
  });
  const { source } = upstreamAt(fake.url);
  const answerer = answererWith({ source });
  const told = async (locale: string) => cardText(await ask(answerer, 'why', { wallet }, locale));
  expect(await told('en')).toContain(EN.errors.of(new UserError('route-not-found', '')));
  expect(await told('es')).toContain(
    textsFor('es').errors.of(new UserError('route-not-found', '')),
  );
});
