import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { EMBLEMS } from '#command/cards/colours';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { commands } from '#commands/index';
import { TIERS } from '#reputation/tier';
import { readLine } from '../../support/typed-line.ts';

/* What people type besides the words that the help gives. */

const en = textsFor('en');
const { errors } = en;

function refusal(line: string): string {
  try {
    return JSON.stringify(readLine(line));
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

describe('a number', () => {
  it.each([
    ['score:5k', 5_000],
    ['score:1.5K', 1_500],
    ['score:5000+', 5_000],
    ['score:>=5000', 5_000],
    ['score: >= 5,000', 5_000],
    ['score>=5000', 5_000],
    ['score >= 5000', 5_000],
    ['score ≥ 5 000', 5_000],
    ['score≥5000', 5_000],
    ['score:5000pts', 5_000],
    ['score: 5000 points', 5_000],
    ['score 5 000 puntos', 5_000],
    ['puntos: ５０００', 5_000],
    ['score:5️⃣0️⃣0️⃣0️⃣', 5_000],
    ['puntos: 5 mil', 5_000],
    ['puntuación 5mil', 5_000],
    ['score-5000', 5_000],
    ['score–5k', 5_000],
  ])('%s is a score', (typed, score) => {
    expect(readLine(`/gate add ${typed}`)).toEqual({ action: 'add', score });
  });

  it.each([
    ['grace:24h', 24],
    ['grace: 24 hours', 24],
    ['grace 24h', 24],
    ['24h', 24],
    ['grace:1d', 24],
    ['grace:2 days', 48],
    ['plazo: 2 días', 48],
    ['plazo: 36 horas.', 36],
    ['grace:1 week', 168],
    ['grace:0h', 0],
    ['grace:none', 0],
    ['grace none', 0],
    ['plazo: ninguno.', 0],
    ['grace:off', 0],
    ['grace-24h', 24],
  ])('%s is a time in hours', (typed, grace) => {
    const given = { action: 'add', tier: 'whale', grace, top: 10 };
    expect(readLine(`/gate add tier:whale ${typed} top:10`)).toEqual(given);
  });

  it.each([
    ['grace:90m', errors.notHours('grace', '0', '720', '90m')],
    ['grace:31 days', errors.notHours('grace', '0', '720', '31 days')],
    ['tier:whale grace:30 minutes', errors.notHours('grace', '0', '720', '30 minutes')],
    ['tier whale plazo 1 mes', errors.notHours('grace', '0', '720', '1 mes')],
    ['tier whale grace two days', errors.notHours('grace', '0', '720', 'two days')],
    ['grace tier:whale', errors.noValue('grace')],
    ['grace tier whale', errors.noValue('grace')],
    ['top ten', errors.notInRange('top', '1', '1,000,000', 'ten')],
    ['score between 100', errors.notInRange('score', '1', '100,000,000', 'between')],
    ['top:few', errors.notInRange('top', '1', '1,000,000', 'few')],
    ['top:24h', errors.notInRange('top', '1', '1,000,000', '24h')],
    ['most>=5000', errors.unexpected('most>=5000', 'gate')],
    ['top >= 100', errors.unexpected('top >= 100', 'gate')],
    ['score', errors.noValue('score')],
    ['score >', errors.noValue('score')],
    ['score<5000', errors.unexpected('score<5000', 'gate')],
    ['>5000', errors.unexpected('>5000', 'gate')],
  ])('%s is refused by its name', (typed, words) => {
    expect(refusal(`/gate add ${typed}`)).toContain(words.slice(0, words.indexOf('.')));
  });
});

describe('a comparison', () => {
  it.each([
    ['top<=100', { top: 100 }],
    ['top ≤ #100', { top: 100 }],
    ['most <= 500', { most: 500 }],
    ['points>=5000', { score: 5_000 }],
    ['“score >= 5000”', { score: 5_000 }],
  ])('%s says what the option means', (typed, given) => {
    expect(readLine(`/gate add ${typed}`)).toEqual({ action: 'add', ...given });
  });

  it.each([
    ['score>5000', 'score:5000'],
    ['score > 5000', 'score:5000'],
    ['score: > 5000', 'score:5000'],
    ['tier>whale', 'tier:whale'],
    ['top<100', 'top:100'],
  ])('%s is refused with what to type in its place', (typed, meant) => {
    expect(refusal(`/gate add ${typed}`)).toBe(errors.unexpected(typed, 'gate', meant));
  });

  it('is none in a mention', () => {
    const why = commands.find(({ name }) => name === 'gate');
    expect(why && sortWords(why, en, 'why <@12345>')).toMatchObject({ member: '<@12345>' });
  });
});

describe('a choice', () => {
  it.each(TIERS)('may be the emblem of a %s, as cards show it', (tier) => {
    const given = { action: 'add', tier: tier.toLowerCase() };
    expect(readLine(`/gate add tier:${EMBLEMS[tier]}`)).toEqual(given);
    expect(readLine(`/gate add ${EMBLEMS[tier]}`)).toEqual(given);
    expect(readLine(`/gate add tier:${EMBLEMS[tier]} ${en.tiers[tier]}`)).toEqual(given);
  });

  it.each([
    ['tier:Whale.', { tier: 'whale' }],
    ['tier:whale+', { tier: 'whale' }],
    ['“tier: whale”', { tier: 'whale' }],
    ['«nivel: ballena»', { tier: 'whale' }],
    ['tier:whale gracia:0', { tier: 'whale', grace: 0 }],
    ['nivel:ballena gracia 2 días', { tier: 'whale', grace: 48 }],
    ['tier>=whale', { tier: 'whale' }],
    ['tier ≥ whale', { tier: 'whale' }],
    ['Whale, top 100', { tier: 'whale', top: 100 }],
    ['tier:whale or score:5000', { tier: 'whale', match: 'any', score: 5_000 }],
    ['tier:whale and top:100', { tier: 'whale', match: 'all', top: 100 }],
    ['nivel:ballena o puntos:5000', { tier: 'whale', match: 'any', score: 5_000 }],
    ['badge:Early Adopter or tier:whale', { badge: 'Early Adopter', match: 'any', tier: 'whale' }],
    ['badge:ea24 or score 5000', { badge: 'ea24', match: 'any', score: 5_000 }],
    ['ea24 or tier:whale', { badge: 'ea24', match: 'any', tier: 'whale' }],
    ['badge:Early Adopter or whale', { badge: 'Early Adopter', match: 'any', tier: 'whale' }],
    ['badge:ea24 or whale top:100', { badge: 'ea24', match: 'any', tier: 'whale', top: 100 }],
    ['badge:Fish or Whale Club', { badge: 'Fish or Whale Club' }],
    ['tier—whale', { tier: 'whale' }],
    ['tier–whale', { tier: 'whale' }],
    ['tier — whale', { tier: 'whale' }],
    ['tier - whale', { tier: 'whale' }],
    ['tier —whale', { tier: 'whale' }],
    ['tier- whale', { tier: 'whale' }],
    ['tier = whale', { tier: 'whale' }],
    ['tier : whale', { tier: 'whale' }],
    ['nivel — ballena puntos – 5000', { tier: 'whale', score: 5_000 }],
    [
      'badge:Early Adopter or tier — whale',
      { badge: 'Early Adopter', match: 'any', tier: 'whale' },
    ],
    ['badge:Salt — Sea', { badge: 'Salt — Sea' }],
    ['badge:"X or whalle"', { badge: 'X or whalle' }],
    ['badge:X or "whalle"', { badge: 'X or whalle' }],
    ['badge:"X or whale"', { badge: 'X or whale' }],
    ['insignia:ea24 y puntos: 5000', { badge: 'ea24', match: 'all', score: 5_000 }],
    ['badge:Early Adopter, tier:whale', { badge: 'Early Adopter', tier: 'whale' }],
    ['badge:Salt and Sea top:100', { badge: 'Salt and Sea', top: 100 }],
    ['badge:"X or tier:whale"', { badge: 'X or tier:whale' }],
    ['badge:top-100', { badge: 'top-100' }],
    ['tier:whale top-100', { tier: 'whale', top: 100 }],
    ['— tier — whale — top — 100', { tier: 'whale', top: 100 }],
    ['--tier whale', { tier: 'whale' }],
    ['—tier=whale', { tier: 'whale' }],
    ['tier:whale chain:solana.', { tier: 'whale', chain: 'sol' }],
  ])('is found in %s', (typed, given) => {
    expect(readLine(`/gate add ${typed}`)).toEqual({ action: 'add', ...given });
  });

  it.each([
    ['/gate list.', 'list'],
    ['/gate run!', 'run'],
    ['/gate agregar tier:whale', 'add'],
    ['/gate quitar rule:ab12', 'remove'],
    ['/gate vista previa', 'preview'],
    ['/gate reglas', 'list'],
  ])('an action is found in %s', (line, action) => {
    for (const language of LANGUAGES)
      expect(readLine(line, textsFor(language)).action).toBe(action);
  });

  it('may be as an answer says it', () => {
    expect(readLine('/privacy everyone')).toEqual({ choice: 'public' });
    expect(readLine('/privacy only you')).toEqual({ choice: 'hidden' });
    expect(readLine('/privacy this community')).toEqual({ choice: 'community' });
    expect(readLine('/privacy todos')).toEqual({ choice: 'public' });
    expect(readLine('/privacy hide me')).toEqual({ choice: 'hidden' });
    expect(readLine('/privacy ocultar')).toEqual({ choice: 'hidden' });
    expect(readLine('/top 30 days')).toEqual({ period: '30d' });
    expect(readLine('/top here week')).toEqual({ board: 'here', period: '7d' });
    expect(readLine('/top últimos 90 días')).toEqual({ period: '90d' });
  });
});

it('what people write of options and bounds is no badge', () => {
  const meant = errors.unexpected('tier>whale', 'gate', 'tier:whale');
  expect(refusal('/gate add tier:whale tier>whale')).toBe(meant);
  expect(readLine('/gate add "Score"')).toEqual({ action: 'add', badge: 'Score' });
});

it.each(['me', 'Me', 'myself', 'yo', 'mí'])('%s is a member where one is asked for', (word) => {
  expect(sortWords(commands.find(({ name }) => name === 'rep') as never, en, ` ${word}`)).toEqual({
    member: word,
  });
});

describe('a word that says less than it seems to', () => {
  it.each([
    ['tier:whale or titan', 'tier', 'titan'],
    ['whale titan', 'tier', 'titan'],
    ['ballena o titán', 'tier', 'titán'],
    ['whale, shark', 'tier', 'shark'],
  ])('“%s” is two tiers, not a tier and an upper bound', (typed, option, second) => {
    expect(refusal(`/gate add ${typed}`)).toBe(errors.givenTwice(option, second));
    expect(refusal(`/gate edit ct5v ${typed}`)).toBe(errors.givenTwice(option, second));
  });

  it.each([
    ['whale below titan', { tier: 'whale', below: 'titan' }],
    ['Whale or higher, but below Titan', { tier: 'whale', below: 'titan' }],
    ['whale 🐋', { tier: 'whale' }],
    ['whale no hidden', { tier: 'whale', hidden: 'no' }],
    ['whale hidden:on', { tier: 'whale', hidden: 'yes' }],
    ['whale hidden off exclusive on', { tier: 'whale', hidden: 'no', exclusive: 'yes' }],
    ['whale on Solana', { tier: 'whale', chain: 'sol' }],
    ['whale no exclusive hidden', { tier: 'whale', exclusive: 'no', hidden: 'yes' }],
  ])('“%s” says all', (typed, given) => {
    expect(readLine(`/gate add ${typed.replace('but ', '')}`)).toEqual({ action: 'add', ...given });
  });

  it.each(['no whale', 'no ballena', 'yes tier:whale'])(
    'of “%s” it’s asked which is meant',
    (typed) => {
      const [word = ''] = typed.split(' ');
      const examples = `exclusive:${word}, hidden:${word}`;
      expect(refusal(`/gate add ${typed}`)).toBe(errors.whichNumber(word, examples));
    },
  );
});

describe('a refusal', () => {
  it('names the tier that stands behind its option without a colon', () => {
    expect(refusal('/gate add tier whales')).toContain('“whales”');
    expect(refusal('/gate añadir nivel ballenas')).toContain('“ballenas”');
  });

  it('says of an option of another action that it’s no option of this one', () => {
    const words = errors.ofOthers('switch:on', 'gate add', 'gate');
    expect(refusal('/gate add tier:whale switch:on')).toBe(words);
  });

  it('takes two letters for no other two', () => {
    expect(refusal('/gate add to whale')).not.toContain('“no”');
    expect(refusal('/gate add tier:whale hidden:of')).not.toContain('“no”');
  });
});

it.each([
  ['/gate why Ada (6100000007)', { action: 'why', member: '6100000007' }],
  ['/gate bar Whale Ada: the 2nd (6100000007).', { action: 'bar', member: '6100000007' }],
  ['/gate why member:Ada Lovelace (6100000007)', { action: 'why', member: '6100000007' }],
  ['/gate protect (6100000007)', { action: 'protect', member: '6100000007' }],
  ['/rep Ada (6100000007)', { member: '6100000007' }],
  ['/gate why Ada(6100000007)', { action: 'why', member: '6100000007' }],
  ['/gate why “Ada (6100000007)”', { action: 'why', member: '6100000007' }],
  ['/gate why member:"Ada Lovelace (6100000007)"', { action: 'why', member: '6100000007' }],
  ['/gate why Ada [6100000007]', { action: 'why', member: '6100000007' }],
  ['/gate why 阿达（6100000007）', { action: 'why', member: '6100000007' }],
  ['/gate bar 6100000007.', { action: 'bar', member: '6100000007' }],
  ['/gate bar member: 6100000007,', { action: 'bar', member: '6100000007' }],
  ['/gate bar #6100000007', { action: 'bar', member: '6100000007' }],
  ['/gate bar ID: 6100000007', { action: 'bar', member: '6100000007' }],
  ['/gate bar id:6100000007', { action: 'bar', member: '6100000007' }],
])('A member is read as lists show them, by name and ID: %s', (line, args) => {
  expect(readLine(line)).toEqual(args);
});

it.each([
  ['/gate edit 5365 tier:whale', { action: 'edit', rule: '5365', tier: 'whale' }],
  ['/gate edit 250k most:none', { action: 'edit', rule: '250k', most: null }],
  ['/gate edit ync9 score 5365', { action: 'edit', rule: 'ync9', score: 5365 }],
])(
  'The ID of a rule is read as one where it stands first, even if it looks like a number: %s',
  (line, args) => {
    expect(readLine(line)).toEqual(args);
  },
);

it.each(['/gate bar Ada (6200000008) (6100000007)', '/gate bar “Ada (6200000008)” (6100000007)'])(
  'Of two IDs, one of which may be part of a name, nobody is guessed: %s',
  (line) => {
    const examples = 'member:6200000008, member:6100000007';
    expect(refusal(line)).toBe(errors.whichNumber('(6200000008) (6100000007)', examples));
  },
);

it.each([
  ['/gate add chain:all tier:whale', { chain: null, tier: 'whale' }],
  ['/gate add tier:whale cadena:todas', { chain: null }],
  ['/gate add tier:whale exclusive:none hidden:“none”', { exclusive: 'no', hidden: 'no' }],
  ['/gate edit abcd tier:“none” score:5', { tier: null, score: 5 }],
  ['/gate idioma: es', { action: 'language', language: 'es' }],
  ['/gate panel: on', { action: 'panel', switch: 'on' }],
  ['/gate panel:700000000000000001 setup', { action: 'setup', panel: '700000000000000001' }],
  ['/gate carteras: suma', { action: 'wallets', count: 'sum' }],
  ['/gate Add: tier:whale, grace: 2 days', { action: 'add', tier: 'whale', grace: 48 }],
  ['/gate announce:from:whale', { action: 'announce', from: 'whale' }],
  ['/gate why:6100000007', { action: 'why', member: '6100000007' }],
  ['/gate vetar: 6100000007', { action: 'bar', member: '6100000007' }],
  ['/gate list:', { action: 'list' }],
  ['/gate unban 6100000007', { action: 'unbar', member: '6100000007' }],
  ['/gate why ٦١٠٠٠٠٠٠٠٧', { member: '6100000007' }],
  ['/gate why ６１０００００００７', { member: '6100000007' }],
  ['/gate why \u200f6100000007', { member: '6100000007' }],
])('People also type %s', (line, options) => {
  expect(readLine(line)).toMatchObject(options);
});

describe('what people type in place of a colon', () => {
  it.each<[string, object]>([
    ['top100', { top: 100 }],
    ['score5000', { score: 5_000 }],
    ['tier is whale', { tier: 'whale' }],
    ['nivel es ballena', { tier: 'whale' }],
    ['desde ballena', { tier: 'whale' }],
    ['from whale', { tier: 'whale' }],
    ['a partir de 5000 puntos', { score: 5_000 }],
    ['nivel ballena o mayor', { tier: 'whale' }],
    ['score 5k or more', { score: 5_000 }],
  ])('is understood: /gate add %s', (line, expected) => {
    expect(readLine(`/gate add ${line}`)).toMatchObject(expected);
  });

  it('leaves an option its own name', () => {
    expect(readLine('/gate announce from whale')).toMatchObject({ from: 'whale' });
  });
});

it.each(['6 100 000 007', '6.100.000.007', "6'100'000'007"])(
  'a member may be an ID in groups of digits: %s',
  (id) => {
    expect(readLine(`/gate why ${id}`)).toMatchObject({ member: '6100000007' });
    expect(readLine(`/gate bar member:${id}`)).toMatchObject({ member: '6100000007' });
  },
);

it.each(['ban', 'kick @vera', 'Banear', 'expulsar: 6100000007', 'echa'])(
  '/gate %s says what only the chat does, and what comes nearest',
  (line) => {
    expect(refusal(`/gate ${line}`)).toBe(en.gate.noBans);
  },
);

describe('a reason, which isn’t kept, is refused with what to send', () => {
  it.each([
    ['bar @vera for spam', '/gate bar @vera'],
    ['bar @vera, spam', '/gate bar @vera'],
    ['bar @vera reason: spam', '/gate bar @vera'],
    ['vetar @vera por spam', '/gate bar @vera'],
    ['bar Vera (6100000007) spam', '/gate bar 6100000007'],
    ['unbar @vera\nhe apologised', '/gate unbar @vera'],
    ['protect @vera because of her help', '/gate protect @vera'],
    // As a reply.
    ['bar for spam', '/gate bar'],
  ])('/gate %s', (line, alone) => {
    expect(refusal(`/gate ${line}`)).toContain(en.gate.noReasons(alone));
  });

  it('but not of a question', () => {
    const [said = ''] = en.gate.noReasons('').split('.');
    expect(refusal('/gate why @vera spam')).not.toContain(said);
  });
});
