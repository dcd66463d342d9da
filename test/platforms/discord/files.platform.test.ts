import { Agent, setGlobalDispatcher } from 'undici';
import { describe, expect, it } from 'vitest';
import { type Card, type CardFile, FILE_MAX, noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { uploadOf } from '#platforms/discord/render/file';
import type { Shown } from '../../../bench/servers/discord/interaction.ts';
import { answererWith } from '../../support/ask.ts';
import { testBot } from '../../support/discord/bot.ts';
import { buttonOf, textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';

const EN = textsFor('en');

const TEXT = '{"name":"Ünï\\u202e 🐋 漢字"}\r\n--\n';
const FILES: Readonly<Record<string, CardFile>> = {
  export: { name: 'fathom-export.json', text: TEXT },
  other: { name: 'other.csv', text: 'a,b\n1,2\n' },
  told: { name: 'told.csv', text: 'a\n', about: 'The file lists all of them' },
};

/** A card with a file, or without one, and buttons to the others. */
const paper = defineCommand({
  name: 'paper',
  letter: 'p',
  about: () => 'A file',
  options: [{ kind: 'text', name: 'which', required: false, about: () => 'Which', longest: 20 }],
  private: false,
  run: (_, { which = 'export' }): Card => {
    const file = FILES[which.replace('my-', '')];
    const call = (to: string) => ({ label: to, call: { command: 'paper', args: { which: to } } });
    return {
      ...noteCard('plain', 'A paper', which),
      actions: [['none', 'other', 'my-other'].map(call)],
      private: which.startsWith('my-'),
      ...(file !== undefined && { file }),
    };
  },
});

async function withPaper(which = 'export') {
  const bot = await testBot();
  const outcomes: string[] = [];
  const hooks = { onCommand: (_: string, outcome: string) => void outcomes.push(outcome) };
  await bot.up({ answerer: answererWith({ commands: [paper] }), hooks });
  const ask = () => bot.discord.command('paper', { which });
  return { ...bot, ask, outcomes };
}

const filesOf = (shown: Shown | undefined) => shown?.files.map(({ name, text }) => [name, text]);

// As in the service, where our undici is loaded before discord.js and its own.
setGlobalDispatcher(new Agent());

describe("a card's file", () => {
  it('is attached to the same message, byte by byte', async () => {
    const { ask } = await withPaper();
    const asked = ask();
    await eventually(() => asked.seen.length > 0);
    expect(asked.edits).toBe(1);
    expect(filesOf(asked.seen[0])).toEqual([['fathom-export.json', TEXT]]);
    expect(textOf(asked.seen[0])).toContain('A paper');
  });

  it('goes with a private card to the same person', async () => {
    const { ask } = await withPaper('my-export');
    const asked = ask();
    await eventually(() => asked.whispers.length > 0);
    expect(asked.original?.deleted).toBe(true);
    expect(asked.whispers.map(({ hidden }) => hidden)).toEqual([true]);
    expect(filesOf(asked.whispers[0])).toEqual([['fathom-export.json', TEXT]]);
  });

  it("is replaced by another card's file, and goes with a card that has none", async () => {
    const { ask, discord } = await withPaper();
    const asked = ask();
    await eventually(() => asked.seen.length > 0);
    const shown = asked.seen[0]!;
    const other = discord.press(shown, buttonOf(shown, 'other'));
    await eventually(() => other.edits > 0);
    expect(filesOf(shown)).toEqual([['other.csv', 'a,b\n1,2\n']]);
    const secret = discord.press(shown, buttonOf(shown, 'my-other'));
    await eventually(() => secret.whispers.length > 0);
    expect(filesOf(secret.whispers[0])).toEqual([['other.csv', 'a,b\n1,2\n']]);
    expect(filesOf(shown)).toHaveLength(1);
    const none = discord.press(shown, buttonOf(shown, 'none'));
    await eventually(() => none.edits > 0);
    expect(filesOf(shown)).toEqual([]);
  });
});

const FORBIDDEN = { status: 403, body: { code: 50013, message: 'no' } };

describe('what a file holds', () => {
  it.each([
    ['is said with it', 0, 1, true],
    ['is left out with a file that Discord rejects', 1, 0, false],
  ])('%s', async (_, times, files, isSaid) => {
    const { ask, discord } = await withPaper('told');
    discord.rest.upset('edit', FORBIDDEN, times);
    const asked = ask();
    await eventually(() => asked.seen.length > 0);
    expect(filesOf(asked.seen[0])).toHaveLength(files);
    expect(textOf(asked.seen[0]).includes('The file lists all of them')).toBe(isSaid);
  });
});

describe('a file that Discord rejects', () => {
  it.each([
    // As components, then with an embed.
    ['malformed', 400, 50035, 2],
    ['not allowed here', 403, 50013, 1],
    ['too large', 413, 40005, 1],
  ])('because it is %s is omitted, and the card is shown', async (_, status, code, times) => {
    const { ask, discord, said, outcomes } = await withPaper();
    discord.rest.upset('edit', { status, body: { code, message: 'no' } }, times);
    const asked = ask();
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['answered']);
    expect(textOf(asked.seen[0])).toContain('A paper');
    expect(filesOf(asked.seen[0])).toEqual([]);
    expect(said().at(-1)).toContain('rejected a file');
  });

  it('is one line of the log, however many ask where it is not allowed', async () => {
    const { ask, discord, said, outcomes } = await withPaper();
    discord.rest.upset('edit', { status: 403, body: { code: 50013, message: 'no' } }, 2);
    for (const count of [1, 2]) {
      ask();
      await eventually(() => outcomes.length === count);
    }
    expect(said().filter((line) => line.includes('rejected a file'))).toHaveLength(1);
  });

  it('is omitted from a private message as well', async () => {
    const { ask, discord, outcomes } = await withPaper('my-export');
    discord.rest.upset('whisper', { status: 403, body: { code: 50013, message: 'no' } });
    const asked = ask();
    await eventually(() => outcomes.length > 0);
    expect(asked.whispers.map((shown) => [shown.hidden, filesOf(shown)])).toEqual([[true, []]]);
    expect(discord.rest.counts.remove).toBe(1);
  });

  it("with a card that's rejected as well is replaced by an apology", async () => {
    const { ask, discord, outcomes } = await withPaper();
    discord.rest.upset('edit', { status: 400, body: { code: 50035, message: 'no' } }, 4);
    const asked = ask();
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['failed']);
    expect(textOf(asked.seen[0])).toContain(EN.errors.bug);
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof testBot>>['discord']['rest']['upset']>[1]]>(
    [
      [
        'too fast',
        {
          status: 429,
          body: { message: 'slow down', retry_after: 0.05, global: false },
          headers: { 'retry-after': '0.05', 'x-ratelimit-scope': 'shared' },
        },
      ],
      ['while it has a fault', { status: 503 }],
      ['on a connection that breaks', 'drop'],
    ],
  )("because it's %s is sent again whole", async (_, trouble) => {
    const { ask, discord } = await withPaper();
    discord.rest.upset('edit', trouble);
    const asked = ask();
    await eventually(() => asked.seen.length > 0);
    expect(discord.rest.counts.edit).toBe(2);
    expect(filesOf(asked.seen[0])).toEqual([['fathom-export.json', TEXT]]);
  });

  it('because nobody is waiting any more is dropped without another attempt', async () => {
    const { ask, discord, outcomes } = await withPaper();
    discord.rest.upset('edit', { status: 404, body: { code: 10008, message: 'gone' } });
    ask();
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['expired']);
    expect(discord.rest.counts.edit).toBe(1);
  });
});

describe('an invalid file', () => {
  const file = (name: string, text: string) => ({
    ...noteCard('plain', 'x', 'x'),
    file: { name, text },
  });

  it.each([
    ['has no name', file('', 'x')],
    ['has a name for a path', file('../x', 'x')],
    ['has a name in capitals', file('A.json', 'x')],
    ['has a name that breaks the header', file('a"\r\nb', 'x')],
    ['has a long name', file('x'.repeat(101), 'x')],
    ['is empty', file('a.txt', '')],
    ['has too many characters', file('a.txt', 'x'.repeat(FILE_MAX + 1))],
  ])('is rejected: it %s', (_, card) => {
    expect(() => uploadOf(card)).toThrow(RangeError);
  });

  it('may be as long as any, in any script', () => {
    const upload = uploadOf(file('a.txt', '漢'.repeat(FILE_MAX)));
    expect(upload?.data.length).toBe(3 * FILE_MAX);
    expect(upload?.data.length).toBeLessThan(10 * 1024 * 1024);
  });

  it('is omitted from its card, with a log entry', async () => {
    const bot = await testBot();
    const run = () => file('No Name', 'x');
    await bot.up({ answerer: answererWith({ commands: [{ ...paper, private: true, run }] }) });
    const asked = bot.discord.command('paper');
    await eventually(() => asked.seen.length > 0);
    expect(filesOf(asked.seen[0])).toEqual([]);
    expect(bot.said().at(-1)).toContain('bug:');
  });
});
