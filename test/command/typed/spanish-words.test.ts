import { describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { needsOf } from '#gating/rules/describe';
import { TIERS } from '#reputation/tier';
import { CHAINS } from '#wallet/wallet';
import { readLine } from '../../support/typed-line.ts';

/* What moderators type in Spanish, by the help and by what the bot itself writes, whatever their client speaks. */

const read = (line: string, language = 'es') => readLine(line, textsFor(language));

describe.each(LANGUAGES)('to a reader of %s', (language) => {
  it.each<[string, object]>([
    ['nivel:ballena oculta', { tier: 'whale', hidden: 'yes' }],
    ['nivel:ballena oculta:sí', { tier: 'whale', hidden: 'yes' }],
    ['nivel:ballena sin plazo', { tier: 'whale', grace: 0 }],
    ['sin plazo, nivel:ballena', { tier: 'whale', grace: 0 }],
    ['insignia:Early Adopter sin plazo', { badge: 'Early Adopter', grace: 0 }],
    ['tier:whale no grace', { tier: 'whale', grace: 0 }],
    ['5000 puntos', { score: 5_000 }],
    ['5.000 puntos sin plazo', { score: 5_000, grace: 0 }],
    ['ballena o 5k points', { tier: 'whale', match: 'any', score: 5_000 }],
    ['ballena 5000 puntos 2 días', { tier: 'whale', score: 5_000, grace: 48 }],
    ['nivel:ballena visible', { tier: 'whale', hidden: 'no' }],
    ['nivel:ballena exclusiva', { tier: 'whale', exclusive: 'yes' }],
    ['ballena o superior', { tier: 'whale' }],
    ['nivel:ballena o superior plazo:0', { tier: 'whale', grace: 0 }],
    ['nivel:"Ballena o superior"', { tier: 'whale' }],
    ['ballena o más', { tier: 'whale' }],
    ['nivel mínimo:ballena', { tier: 'whale' }],
    ['tiburón por debajo:ballena', { tier: 'shark', below: 'whale' }],
    ['tiburón por debajo de:ballena', { tier: 'shark', below: 'whale' }],
    ['tiburón por debajo de ballena', { tier: 'shark', below: 'whale' }],
    ['tiburón o superior, por debajo de Ballena', { tier: 'shark', below: 'whale' }],
    ['insignia:Early Adopter por debajo:ballena', { badge: 'Early Adopter', below: 'whale' }],
    ['ballena o insignia:"x"', { tier: 'whale', match: 'any', badge: 'x' }],
    ['puntuación:5000', { score: 5_000 }],
    ['puntuación mínima:5000', { score: 5_000 }],
    ['puntos:10 como máximo:9000', { score: 10, most: 9_000 }],
    ['puesto:100', { top: 100 }],
    ['nivel:ballena en Solana', { tier: 'whale', chain: 'sol' }],
  ])('/gate añadir %s is understood', (typed, options) => {
    expect(read(`/gate añadir ${typed}`, language)).toEqual({ action: 'add', ...options });
  });

  it.each<[string, object]>([
    ['/gate digest on', { action: 'digest', digest: 'weekly' }],
    ['/gate digest off', { action: 'digest', digest: 'off' }],
    ['/gate resumen activado', { action: 'digest', digest: 'weekly' }],
    ['/gate resumen desactivar', { action: 'digest', digest: 'off' }],
    ['/gate resumen cada semana', { action: 'digest', digest: 'weekly' }],
    ['/gate resumen semana', { action: 'digest', digest: 'weekly' }],
    ['/gate digest week', { action: 'digest', digest: 'weekly' }],
    ['/gate escalera activar', { action: 'ladder', switch: 'on' }],
    ['/gate panel desactivado', { action: 'panel', switch: 'off' }],
    ['/gate anunciar sí', { action: 'announce', switch: 'on' }],
    ['/gate anuncios no', { action: 'announce', switch: 'off' }],
    ['/gate anunciar ballena o superior', { action: 'announce', from: 'whale' }],
    ['/gate anunciar insignias:raras', { action: 'announce', badges: 'rare' }],
    ['/gate carteras suma', { action: 'wallets', count: 'sum' }],
    ['/gate idioma castellano', { action: 'language', language: 'es' }],
    ['/gate elimina ab12', { action: 'remove', rule: 'ab12' }],
    ['/privacy anuncios off', { announce: 'off' }],
    ['/privacy anuncios:no', { announce: 'off' }],
    ['/privacy announce no', { announce: 'off' }],
    ['/privacy no', { announce: 'off' }],
    ['/privacy borrar sí', { choice: 'erase', sure: 'yes' }],
    ['/privacy anunciar desactivado', { announce: 'off' }],
    ['/card imagen https://a.example/b.png', { action: 'banner', url: 'https://a.example/b.png' }],
    ['/top global', { chain: 'all' }],
    ['/top global 30d', { chain: 'all', period: '30d' }],
    ['/top esta comunidad 30d', { board: 'here', period: '30d' }],
  ])('%s is understood', (line, options) => {
    expect(read(line, language)).toEqual(options);
  });
});

it.each(LANGUAGES)('What a list of rules says in %s can be typed as it stands', (language) => {
  const texts = textsFor(language);
  for (const tier of TIERS) {
    for (const chain of CHAINS) {
      const requirements = [{ kind: 'tier' as const, tier }];
      const said = needsOf({ requirements, match: 'all', chain }, texts).replace(',', '');
      expect(read(`/gate add ${said}`, language)).toMatchObject({ tier: tier.toLowerCase() });
      expect(read(`/gate add ${said}`, language).chain).toBeDefined();
    }
  }
});

it('Where a number may mean several options, they are named in the reader’s language', () => {
  const { optionNames } = textsFor('es');
  expect(() => read('/gate añadir 5000')).toThrow(`${optionNames.score}:5000`);
});

it.each(['nivel ballenas plazo:2 dias', 'nivel:ballenas', 'tier whales grace:2'])(
  '%s is refused by the word that is no tier',
  (line) => {
    const word = /ballenas|whales/.exec(line)?.[0] ?? '';
    expect(() => read(`/gate add ${line}`)).toThrow(word);
  },
);
