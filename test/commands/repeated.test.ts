import { describe, expect, it } from 'vitest';
import { en } from '#command/texts/en/index';
import { commands } from '#commands/index';
import { answererWith, CALLER } from '../support/ask.ts';
import { WHALE } from '../support/fixed-source.ts';

const wallet = WHALE.address;

/** Every command, and where the member can look if it mustn't run again; undefined if it may. */
const CALLS: readonly [string, Record<string, string>, string | undefined][] = [
  ['rep', { wallet }, undefined],
  ['badges', { wallet }, undefined],
  ['activity', { wallet }, undefined],
  ['why', { wallet }, undefined],
  ['top', {}, undefined],
  ['stats', {}, undefined],
  ['help', {}, undefined],
  ['wallets', {}, undefined],
  ['link', {}, undefined],
  ['link', { wallet }, undefined],
  ['link', { code: '123 456' }, '/wallets'],
  ['link', { code: '123456' }, '/wallets'],
  ['link', { wallet: `0x${'ab'.repeat(65)}` }, '/wallets'],
  ['link', { code: 'vault' }, undefined],
  ['link', { code: `vault ${wallet}` }, '/wallets'],
  ['access', {}, undefined],
  ['access', { check: 'now' }, undefined],
  ['unlink', {}, undefined],
  ['unlink', { wallet }, '/wallets'],
  ['privacy', {}, undefined],
  ['privacy', { choice: 'export' }, undefined],
  ['privacy', { announce: 'off' }, '/privacy'],
  ['privacy', { choice: 'hidden' }, '/privacy'],
  ['privacy', { choice: 'public' }, '/privacy'],
  ['privacy', { choice: 'community' }, '/privacy'],
  ['privacy', { choice: 'erase' }, undefined],
  ['privacy', { choice: 'erase', sure: 'yes' }, '/privacy'],
  ['apikey', {}, undefined],
  ['apikey', { action: 'list' }, undefined],
  ['apikey', { action: 'revoke' }, undefined],
  ['apikey', { action: 'revoke', key: '0000000000' }, '/apikey list'],
  ['apikey', { action: 'create' }, '/apikey list'],
  ['card', {}, undefined],
  ['card', { action: 'show' }, undefined],
  ['card', { action: 'colour', colour: 'teal' }, '/card show'],
  ['card', { action: 'banner', url: 'https://example.org/b.png' }, '/card show'],
  ['card', { action: 'reset' }, '/card show'],
  ...['list', 'preview', 'why', 'log'].map(
    (action): [string, Record<string, string>, undefined] => ['gate', { action }, undefined],
  ),
  ...[
    ...['add', 'edit', 'remove', 'pause', 'resume', 'run', 'undo'],
    ...[
      'protect',
      'unprotect',
      'channel',
      'confirm',
      'ladder',
      'language',
      'wallets',
      'setup',
      'announce',
      'panel',
      'digest',
    ],
  ].map((action): [string, Record<string, string>, string] => ['gate', { action }, '/gate log']),
];

describe('a command delivered to a replica that died', () => {
  it.each(CALLS)('/%s %j: does not repeat its change', async (command, args, check) => {
    const ran: string[] = [];
    const looked: string[] = [];
    const answerer = answererWith({
      onMaybeDone: ({ id }) => void looked.push(id),
      commands: commands.map((each) => ({
        ...each,
        run(...given) {
          ran.push(each.name);
          return each.run(...given);
        },
      })),
    });
    const question = { call: { command, args }, caller: CALLER, locale: 'en' };
    const card = await answerer.answer({ ...question, isRepeated: true });
    expect(ran).toEqual(check === undefined ? [command] : []);
    // What follows from a link or the like may never have begun.
    expect(looked).toEqual(check === undefined ? [] : [CALLER.id]);
    if (check === undefined) expect(card.title).not.toBe(en.chat.maybeDoneTitle);
    else {
      expect(card).toMatchObject({ title: en.chat.maybeDoneTitle, private: true, tone: 'warning' });
      expect(card.blocks).toContainEqual({ kind: 'text', spans: [{ code: check }] });
    }
    ran.length = 0;
    await answerer.answer(question);
    expect(ran).toEqual([command]);
  });

  it('is handled explicitly for every command', () => {
    const decided = new Set(CALLS.map(([command]) => command));
    expect(commands.map(({ name }) => name).filter((name) => !decided.has(name))).toEqual([]);
  });

  it('still reports user errors', async () => {
    const call = { command: 'unlink', args: { wallet: '0x12' } };
    const card = await answererWith().answer({
      call,
      caller: CALLER,
      locale: 'en',
      isRepeated: true,
    });
    expect(card.title).toBe(en.errors.title);
  });
});
