import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { readNamed } from '#command/arguments';
import { LANGUAGES, optionName, textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { folded, type Mention } from '#command/typed/words';
import type { Command } from '#commands/answering/command';
import { commands } from '#commands/index';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { addressOf } from '../../support/import-lines.ts';

const en = textsFor('en');
const es = textsFor('es');
const wallets = createWalletParser(chains);
const ADDRESS = addressOf('ethereum', 3);

function commandNamed(name: string): Command {
  return commands.find((command) => command.name === name) as Command;
}

/** `/gate edit …` as its options. */
function sorted(line: string, texts = en, mentions: readonly Mention[] = []) {
  const [name = ''] = line.slice(1).split(' ', 1);
  return sortWords(commandNamed(name), texts, line.slice(1 + name.length), mentions);
}

function refusal(line: string, texts = en): string {
  try {
    const [name = ''] = line.slice(1).split(' ', 1);
    readNamed(commandNamed(name), texts, wallets, sorted(line, texts));
    return '';
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
}

describe('an option with its name', () => {
  it.each([
    ['/gate edit ync9 grace:0', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate edit ync9 grace: 0', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate edit ync9 grace : 0', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate edit ync9 Grace=0', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate edit ync9 grace：0', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate edit ync9 grace 0', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate edit grace:0 ync9', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate edit rule: ync9 grace: 0', { action: 'edit', rule: 'ync9', grace: '0' }],
    ['/gate add tier: whale', { action: 'add', tier: 'whale' }],
    ['/gate add tier whale score 5000', { action: 'add', tier: 'whale', score: '5000' }],
    ['/gate add score: 5000', { action: 'add', score: '5000' }],
    [
      '/gate add match: all of them tier: whale',
      { action: 'add', match: 'all of them', tier: 'whale' },
    ],
    ['/gate add score:5 000 grace:0', { action: 'add', score: '5 000', grace: '0' }],
    ['/gate add tier:whale,grace:3', { action: 'add', tier: 'whale', grace: '3' }],
    ['/gate add tier:whale; grace:3', { action: 'add', tier: 'whale', grace: '3' }],
    ['/gate add tier : whale , grace : 3', { action: 'add', tier: 'whale', grace: '3' }],
    [
      '/gate add tier:whale hidden:true exclusive:false',
      { action: 'add', tier: 'whale', hidden: 'true', exclusive: 'false' },
    ],
    ['/gate add tier:whale exclusive', { action: 'add', tier: 'whale', exclusive: 'yes' }],
    [
      '/gate add badge:Early Adopter exclusive grace:0',
      { action: 'add', badge: 'Early Adopter', exclusive: 'yes', grace: '0' },
    ],
    ['/gate add “tier:whale”', { action: 'add', tier: 'whale' }],
    ['/gate add "tier:whale score:5000"', { action: 'add', tier: 'whale', score: '5000' }],
    ['/gate add "grace: the last" top:5', { action: 'add', badge: 'grace: the last', top: '5' }],
    ['/gate why @alice_1.', { action: 'why', member: '@alice_1' }],
    ['/rep Bob, the whale', { wallet: 'Bob, the whale' }],
    ['/top página:2', { page: '2' }],
    ['/top pagina: 2', { page: '2' }],
    ['/gate add nivel:ballena puntos: 5000', { action: 'add', tier: 'ballena', score: '5000' }],
    ['/apikey key:"my site"', { key: 'my site' }],
    ['/apikey create key: my site: the blog', { action: 'create', key: 'my site: the blog' }],
    [`/top wallet: ${ADDRESS} 2`, { wallet: ADDRESS, page: '2' }],
    ['/top wallet: Captain Nemo 2', { wallet: 'Captain Nemo', page: '2' }],
  ])('is taken from %s', (line, given) => {
    expect(sorted(line)).toEqual(given);
  });

  it('has one meaning in all languages together', () => {
    for (const { name, options } of commands) {
      for (const option of options) {
        for (const language of LANGUAGES) {
          const word = folded(optionName(textsFor(language), option.name));
          const same = options.filter((each) =>
            LANGUAGES.some((other) => folded(optionName(textsFor(other), each.name)) === word),
          );
          expect(same, `${word} of /${name}`).toEqual([option]);
        }
      }
    }
  });

  it('may be a choice in another language than the reader’s', () => {
    const read = (line: string) => readNamed(commandNamed('gate'), en, wallets, sorted(line, en));
    expect(read('/gate añadir nivel:Ballena')).toMatchObject({ action: 'add', tier: 'whale' });
    expect(read('/gate add tier:TITAN')).toMatchObject({ tier: 'titan' });
    expect(read('/gate add puntos:5.000')).toMatchObject({ score: 5_000 });
    expect(read('/gate add score:5,000')).toMatchObject({ score: 5_000 });
  });
});

describe('a badge', () => {
  it.each([
    ['/gate add badge:Early Adopter', 'Early Adopter'],
    ['/gate add badge: Early Adopter', 'Early Adopter'],
    ['/gate add badge:"Early Adopter"', 'Early Adopter'],
    ['/gate add badge: “Early Adopter”', 'Early Adopter'],
    ['/gate add badge:«Early Adopter»', 'Early Adopter'],
    ['/gate add insignia:Early Adopter', 'Early Adopter'],
    ['/gate add badge ea24', 'ea24'],
    ['/gate add ea24', 'ea24'],
  ])('A badge of %s is one value', (line, badge) => {
    expect(sorted(line)).toEqual({ action: 'add', badge });
  });

  it.each([
    '/gate add badge:"Early Adopter" tier whale',
    '/gate add badge: ‘Early Adopter’ whale',
    '/gate add insignia «Early Adopter» nivel ballena',
    '/gate add “Early Adopter” tier whale',
  ])('ends with its quotes: %s', (line) => {
    expect(sorted(line)).toMatchObject({ badge: 'Early Adopter', tier: expect.any(String) });
  });

  it('ends where the next option begins', () => {
    const given = { action: 'add', badge: 'Early Adopter', top: '10', grace: '0' };
    expect(sorted('/gate add badge:Early Adopter top:10 grace: 0')).toEqual(given);
    expect(sorted('/gate add top:10 Early Adopter grace:0')).toEqual(given);
  });
});

describe('quotes', () => {
  it('make a name of what would be something else', () => {
    expect(sorted('/badges "Agent 47"')).toEqual({ wallet: 'Agent 47' });
    expect(sorted('/rep "47"')).toEqual({ wallet: '47' });
  });

  it('Quotes that aren’t closed are ordinary characters', () => {
    expect(sorted("/rep Captain O'Neill")).toEqual({ wallet: "Captain O'Neill" });
    expect(sorted('/rep "Nemo')).toEqual({ wallet: '"Nemo' });
  });

  it('stay in a longer text, as do its line breaks', () => {
    expect(sorted('/apikey create my "site"\nand a blog')).toEqual({
      action: 'create',
      key: 'my "site"\nand a blog',
    });
  });
});

it.each([
  ['/gate edit rule ync9 tier shark', { action: 'edit', rule: 'ync9', tier: 'shark' }],
  ['/gate edit regla ync9 grace 0', { action: 'edit', rule: 'ync9', grace: '0' }],
  ['/gate remove rule ync9', { action: 'remove', rule: 'ync9' }],
])('A rule is named without a colon, too: %s', (line, given) => {
  expect(sorted(line)).toEqual(given);
});

const BAR = { action: 'bar', member: '@a1' };

describe('a member', () => {
  it.each([
    ['/rep @alice', { member: '@alice' }],
    ['/rep 1234567890', { member: '1234567890' }],
    ['/badges 1234567890', { member: '1234567890' }],
    ['/badges 2', { page: '2' }],
    ['/gate why @alice', { action: 'why', member: '@alice' }],
    ['/gate protect member: @alice', { action: 'protect', member: '@alice' }],
    ['/gate protect 5234567890', { action: 'protect', member: '5234567890' }],
    ['/gate bar @alice', { action: 'bar', member: '@alice' }],
    ['/gate unbar @alice', { action: 'unbar', member: '@alice' }],
    ['/gate bar @alice @Whales', { action: 'bar', member: '@alice', role: '@Whales' }],
    ['/gate bar role:@Whales @alice', { action: 'bar', member: '@alice', role: '@Whales' }],
    ['/gate bar <@&81384788765712384> @a1', { ...BAR, role: '<@&81384788765712384>' }],
    ['/gate add @Whales tier:whale', { action: 'add', role: '@Whales', tier: 'whale' }],
    ['/rep <@81384788765712384>', { member: '<@81384788765712384>' }],
  ])('is named by %s', (line, given) => {
    expect(sorted(line)).toEqual(given);
  });

  it('whom the platform knows is one word, whatever the name contains', () => {
    const line = '/gate protect tier:whale Lopez';
    const offset = ' protect '.length;
    const mentions = [{ offset, length: 'tier:whale Lopez'.length, account: '777' }];
    expect(sorted(line, en, mentions)).toEqual({ action: 'protect', member: '777' });
  });

  it.each(['(6100000007)', 'Ada (6100000007)', '6100000007'])(
    'whom the platform knows isn’t whose ID the name contains: %s',
    (name) => {
      for (const before of [' bar ', ' bar member:']) {
        const mentions = [{ offset: before.length, length: name.length, account: '6100000009' }];
        const barred = { action: 'bar', member: '6100000009' };
        expect(sorted(`/gate${before}${name}`, en, mentions)).toEqual(barred);
        // As a chat copies it from a card, the mention included.
        expect(sorted(`/gate${before}${name} (6100000009)`, en, mentions)).toEqual(barred);
        expect(() => sorted(`/gate${before}${name} (6100000008)`, en, mentions)).toThrow(
          '6100000008',
        );
      }
    },
  );

  it.each(['¿@alice?', '(@alice)', '[@alice].', 'member:(@alice)'])(
    'is named with signs around the name: %s',
    (typed) => {
      expect(sorted(`/gate why ${typed}`)).toEqual({ action: 'why', member: '@alice' });
    },
  );
});

describe.each(LANGUAGES)('in %s', (language) => {
  const texts = textsFor(language);

  it('each action can be typed as it is called, in one word', () => {
    for (const label of Object.values(texts.gate.actions)) {
      expect(label).toMatch(/^\p{L}+$/u);
      expect(sorted(`/gate ${label}`, texts).action).toBe(label);
    }
  });

  it('a refusal lists the choices of what is missing', () => {
    expect(refusal('/gate')).toMatch(/action.* add, .*preview/);
    expect(refusal('/gate', es)).toMatch(/acción.* añadir, .*previsualizar/);
  });

  it.each(['31d', '7w', '365D'])(
    '%s is a length of time, where some are choices, and no wallet',
    (word) => {
      const isKnown = word.toLowerCase().endsWith('d');
      expect(refusal(`/top ${word}`).includes('7d, 30d, 90d')).toBe(isKnown);
      expect(sorted(`/top "${word}"`)).toEqual({ wallet: word });
      expect(sorted(`/top wallet:${word}`)).toEqual({ wallet: word });
      expect(sorted(`/rep ${word}`)).toEqual({ wallet: word });
    },
  );

  it('a refusal lists choices as the reader calls them', () => {
    const tiers = Object.values(texts.tiers).map((tier) => tier.toLowerCase());
    expect(refusal('/gate add tier:kraken', texts)).toContain(tiers.join(', '));
    const { add, unbar } = texts.gate.actions;
    expect(refusal('/gate kraken', texts)).toContain(`${add}, `);
    expect(refusal('/gate kraken', texts)).toContain(` ${unbar},`);
  });
});

it('an action may have several words', () => {
  const [action, ...others] = commandNamed('gate').options;
  if (action?.kind !== 'choice') throw new Error('the first option of /gate is no choice');
  const label = (choice: string) => (choice === 'unbar' ? 'lift the bar' : choice);
  const command = { ...commandNamed('gate'), options: [{ ...action, label }, ...others] };
  expect(sortWords(command, en, ' lift the bar @alice')).toEqual({
    action: 'lift the bar',
    member: '@alice',
  });
});

it.each([
  ['score:5 000', { score: 5_000 }],
  ['score:5\u202f000', { score: 5_000 }],
  ['score:５０００', { score: 5_000 }],
  ['score:٥٠٠٠', { score: 5_000 }],
  ['score:5000.', { score: 5_000 }],
  ['top:#100', { top: 100 }],
  ['tier:whale\u200b', { tier: 'whale' }],
  ['tier:🐋 Whale', { tier: 'whale' }],
  ['nivel:🐋Ballena', { tier: 'whale' }],
])('/gate add takes %s as a phone or a card of ours writes it', (option, given) => {
  const read = readNamed(commandNamed('gate'), en, wallets, sorted(`/gate add ${option}`));
  expect(read).toMatchObject(given);
});

describe('a refusal names the word', () => {
  it.each([
    ['/gate ad tier:whale', '“ad”', '“add”'],
    ['/gate add wale', '“wale”', '“whale”'],
    ['/gate add tier:wale', '“wale”', '“whale”'],
    ['/gate add badge:X or whalle', '“whalle”', '“whale”'],
    ['/gate add badge:Early Adopter or shrak top:10', '“shrak”', '“shark”'],
    ['/gate add tier — whalle', '“whalle”', '“whale”'],
    ['/gate add tier—whalle', '“whalle”', '“whale”'],
    ['/gate add tyer:whale', '“tyer:whale”', '“tier:”'],
    ['/gate pause ync9 grace:0', '“grace:0”', '/help gate'],
    ['/gate add 5000', '“5000”', 'score:5000, top:5000, grace:5000, most:5000'],
    ['/gate add tier:whale tier:shark', '“shark”', en.errors.givenTwice('tier', 'shark')],
    ['/card banner url:a url:b', '“b”', en.errors.givenTwice('url', 'b')],
    ['/gate add tier:', 'tier', en.errors.noValue('tier')],
    ['/gate add top 10%', '“10%”', en.errors.notInRange('top', '1', '1,000,000', '10%')],
    ['/gate add score 5kk', '“5kk”', en.errors.notInRange('score', '1', '100,000,000', '5kk')],
    ['/gate add score:many', '“many”', en.errors.notInRange('score', '1', '100,000,000', 'many')],
    ['/gate why Maria', '“Maria”', '@username'],
    ['/gate why @maria', '“@maria”', '@username'],
    ['/rep 0x1234', '“0x1234”', 'wallet address'],
    ['/stats now', '“now”', '/help stats'],
  ])('A refusal names the word in %s', (line, word, help) => {
    expect(refusal(line)).toContain(word);
    expect(refusal(line)).toContain(help);
    // Names of options and choices differ; the word doesn't.
    expect(refusal(line, es)).toContain(
      word.replace('“', '«').replace('”', '»').replace('tier', ''),
    );
  });
});

it.each([
  ['/gate digest weekly', en, 'weekly'],
  ['/gate digest off', en, 'off'],
  ['/gate resumen semanal', es, 'semanal'],
  ['/gate digest weekly', es, 'weekly'],
])('%s says whether the week is told', (line, texts, digest) => {
  const named = readNamed(commandNamed('gate'), texts, wallets, sorted(line, texts));
  expect(named).toMatchObject({ action: 'digest', digest: digest === 'off' ? 'off' : 'weekly' });
});
