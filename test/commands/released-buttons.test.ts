import { expect, it } from 'vitest';
import { decodeCall } from '#command/call-code';
import { textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { answererWith, CALLER } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';

/* Messages stay in chats for years, and with them the buttons of every version that was released. */

/** Letter, name and options of 0.1.0, as its buttons carry them. Only ever added to. */
const RELEASED: Readonly<Record<string, readonly [name: string, options: string]>> = {
  a: ['activity', 'wallet,page,member'],
  b: ['badges', 'wallet,page,member'],
  c: ['card', 'action,colour,picture,url'],
  g: [
    'gate',
    'action,role,tier,score,top,chain,match,exclusive,grace,page,member,channel,rule,badge',
  ],
  h: ['help', 'command'],
  k: ['apikey', 'action,key'],
  l: ['link', 'wallet,code'],
  p: ['privacy', 'choice,sure'],
  r: ['rep', 'wallet,chain,member'],
  s: ['stats', ''],
  t: ['top', 'chain,page,wallet'],
  u: ['unlink', 'wallet'],
  w: ['wallets', ''],
  y: ['why', 'wallet,member'],
};

it.each(Object.entries(RELEASED))(
  'Buttons of 0.1.0 that begin with %s mean the same',
  (letter, [name, options]) => {
    const now = commands.find((command) => command.letter === letter);
    expect(now?.name).toBe(name);
    const known = options === '' ? [] : options.split(',');
    const names = now?.options.map((option) => option.name).slice(0, known.length);
    expect(names).toEqual(known);
  },
);

/** Buttons that 0.1.0 made for moderators. */
const MODERATORS: readonly [code: string, args: Readonly<Record<string, string>>][] = [
  ['g!list', { action: 'list' }],
  ['g!preview', { action: 'preview' }],
  ['g!run', { action: 'run' }],
  ['g!log', { action: 'log' }],
  ['g!log!!!!!!!!!2', { action: 'log', page: '2' }],
  ['g!accept', { action: 'accept' }],
  ['g!renew', { action: 'renew' }],
  ['gAbC-!confirm!!!!!!!!!!!!run00001', { action: 'confirm', rule: 'run00001' }],
  ['gAbC_!undo!!!!!!!!!!!!run00001', { action: 'undo', rule: 'run00001' }],
  ['c!reset', { action: 'reset' }],
  ['c!colour!#1790ed', { action: 'colour', colour: '#1790ed' }],
  ['k!revoke!aaaaaaaa', { action: 'revoke', key: 'aaaaaaaa' }],
];

it.each(MODERATORS)('The button %s of 0.1.0 asks what it asked then', (code, args) => {
  expect(decodeCall(code, commands)?.call.args).toEqual(args);
});

it.each([
  // No command may have a digit for its letter.
  '0!list',
  '~anonymous~0123456789abcdef01234567',
  'anonymous~0123456789abcdef01234567',
  'gab!run',
  'gabcde!run',
  `s!${'x!'.repeat(40)}`,
  '',
])('Data that no version made (%s) is no other button', (code) => {
  expect(decodeCall(code, commands)).toBeUndefined();
});

it('An action that a later version has, or none, is refused in words', async () => {
  const answerer = answererWith();
  for (const action of ['elevate', 'setup2', '']) {
    const decoded = decodeCall(`g!${action}`, commands);
    expect(decoded).toBeDefined();
    const call = decoded?.call ?? { command: '', args: {} };
    const card = await answerer.answer({ call, caller: CALLER, locale: 'en' });
    expect(card.tone).toBe('error');
    expect(cardText(card)).toContain(textsFor('en').errors.title);
  }
});
