import { describe, expect, it } from 'vitest';
import { type Form, noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { defineCommand } from '#commands/answering/command';
import { renderCard } from '#platforms/discord/render/card';
import type { StandInInteraction } from '../../../bench/servers/discord/interaction.ts';
import { user } from '../../../bench/servers/discord/world.ts';
import { answererWith, CALLER } from '../../support/ask.ts';
import { testBot } from '../../support/discord/bot.ts';
import { buttonOf, partsOf, textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';

const EN = textsFor('en');

const FORM: Form = { option: 'text', call: { command: 'note', args: { word: 'blue' } } };
const WRITE = { label: 'Write a note', form: FORM };

/** Shows its input, with a button that asks for a text. */
const note = defineCommand({
  name: 'note',
  letter: 'n',
  about: () => 'Keeps a note',
  options: [
    { kind: 'text', name: 'word', required: false, about: () => 'A word', longest: 20 },
    { kind: 'text', name: 'text', required: false, about: () => 'What to keep', longest: 12 },
  ],
  private: true,
  run: (_, { word, text }) => ({
    ...noteCard('plain', 'Note', `${word ?? 'no word'}: ${text ?? 'nothing yet'}`),
    actions: [[WRITE]],
  }),
});
/** The same in public, except for a secret. */
const board = defineCommand({
  ...note,
  name: 'board',
  letter: 'b',
  private: false,
  run: (_, { text }) => ({
    ...noteCard('plain', 'Board', text ?? 'nothing yet'),
    actions: [[{ ...WRITE, form: { option: 'text', call: { command: 'board', args: {} } } }]],
    private: text === 'secret',
  }),
});
const answerer = () => answererWith({ commands: [note, board] });

/** A bot that has shown a card with a form's button. */
async function withCard(command = 'note') {
  const bot = await testBot();
  const outcomes: string[] = [];
  const hooks = {
    onCommand: (name: string, outcome: string) => void outcomes.push(`${name} ${outcome}`),
  };
  const up = () => bot.up({ answerer: answerer(), hooks });
  const adapter = await up();
  const asked = bot.discord.command(command);
  await eventually(() => asked.seen.length > 0);
  const shown = asked.seen[0]!;
  const press = (doing = {}) => bot.discord.press(shown, buttonOf(shown, 'Write a note'), doing);
  const open = async () => {
    const pressed = press();
    await eventually(() => pressed.form !== undefined);
    return pressed;
  };
  return { ...bot, up, adapter, shown, outcomes, press, open };
}

const refused = (interaction: StandInInteraction) =>
  interaction.whispers.map((shown) => [shown.hidden, textOf(shown)]);

describe('a button that asks for a text', () => {
  it('opens a form as its first and only response, in the words of the button and the option', async () => {
    const { discord, open, outcomes, shown } = await withCard();
    const before = { ...discord.rest.counts };
    const pressed = await open();
    await eventually(() => outcomes.length === 2);
    expect(pressed.acknowledged).toBe(9);
    expect(pressed.form).toEqual({
      custom_id: buttonOf(shown, 'Write a note'),
      title: 'Write a note',
      components: [
        {
          type: 18,
          label: 'text',
          description: 'What to keep',
          component: { type: 4, custom_id: 'text', style: 2, required: true, max_length: 12 },
        },
      ],
    });
    expect(discord.rest.counts).toEqual({ ...before, callback: before.callback + 1 });
    expect(outcomes).toEqual(['note answered', 'note answered']);
  });

  it('only works for its owner', async () => {
    const { press } = await withCard('board');
    const pressed = press({ by: user('stranger'), locale: 'es-ES' });
    await eventually(() => pressed.whispers.length > 0);
    expect(pressed.form).toBeUndefined();
    expect(refused(pressed)).toEqual([
      [true, expect.stringContaining(textsFor('es').errors.notYours)],
    ]);
  });

  it.each(['~form9~n', '~form1~z', '~form~n', '~form1~', '~form1~s'])(
    "with the data %s, which this version doesn't create, is reported as outdated",
    async (code) => {
      const { discord, shown } = await withCard();
      const pressed = discord.press(shown, code);
      await eventually(() => pressed.whispers.length > 0);
      expect(pressed.form).toBeUndefined();
      expect(textOf(pressed.whispers[0])).toContain(EN.errors.oldButton);
    },
  );

  it('is retried after a fault, and not after it expired', async () => {
    const { discord, press, open, outcomes } = await withCard();
    discord.rest.upset('callback', { status: 503 });
    await open();
    discord.rest.upset('callback', 'lose-answer');
    await open();
    press({ expired: true });
    await eventually(() => outcomes.length === 4);
    expect(outcomes.filter((outcome) => outcome === 'note expired')).toHaveLength(1);
    expect(discord.rest.counts.edit).toBe(1);
  });

  it('opens after a restart as before', async () => {
    const { adapter, up, open } = await withCard();
    await adapter.stop();
    await up();
    expect((await open()).form?.title).toBe('Write a note');
  });
});

describe('a submitted form', () => {
  it('runs the command with the text, in place of the message and hidden like it', async () => {
    const { discord, open, shown } = await withCard();
    const sent = discord.submit(await open(), 'a cat');
    await eventually(() => sent.edits > 0);
    expect(sent.acknowledged).toBe(6);
    expect(sent.original?.id).toBe(shown.id);
    expect(sent.original?.hidden).toBe(true);
    expect(textOf(sent.original)).toContain('blue: a cat');
    expect(sent.whispers).toEqual([]);
  });

  it('works after a restart between opening and submitting', async () => {
    const { discord, adapter, up, open } = await withCard();
    const pressed = await open();
    await adapter.stop();
    await up();
    const sent = discord.submit(pressed, 'a dog');
    await eventually(() => sent.edits > 0);
    expect(textOf(sent.original)).toContain('blue: a dog');
  });

  it('by another user is rejected, and the message stays', async () => {
    const { discord, open, shown, outcomes } = await withCard();
    const sent = discord.submit(await open(), 'a thief', { by: user('stranger') });
    await eventually(() => sent.whispers.length > 0);
    expect(refused(sent)).toEqual([[true, expect.stringContaining(EN.errors.notYours)]]);
    expect(sent.edits).toBe(0);
    expect(textOf(shown)).not.toContain('a thief');
    await eventually(() => outcomes.length === 3);
  });

  it('is answered twice if submitted twice, and once if only delivered twice', async () => {
    const { discord, open, outcomes } = await withCard();
    const pressed = await open();
    const first = discord.submit(pressed, 'one');
    discord.redeliver(first);
    await eventually(() => first.edits > 0);
    const second = discord.submit(pressed, 'two');
    await eventually(() => second.edits > 0);
    discord.redeliver(first);
    expect(textOf(second.original)).toContain('blue: two');
    const last = discord.submit(pressed, 'three');
    await eventually(() => last.edits > 0 && outcomes.length === 5);
    expect([first, second, last].map(({ edits }) => edits)).toEqual([1, 1, 1]);
  });

  it('with more than is allowed is told so', async () => {
    const { discord, open } = await withCard();
    const sent = discord.submit(await open(), 'x'.repeat(4_000));
    await eventually(() => sent.edits > 0);
    expect(textOf(sent.original)).toContain(EN.errors.tooLong('', '12', '').split('”')[1]);
  });

  it('with hostile text shows it as plain text', async () => {
    const { discord, open } = await withCard();
    const sent = discord.submit(await open(), '<@1> ```\n@x');
    await eventually(() => sent.edits > 0);
    expect(textOf(sent.original)).toContain('\\<\\@1\\> \\`\\`\\` \\@x');
  });

  it('without a message gets one of its own, hidden if the command is private', async () => {
    const { discord, open } = await withCard();
    const sent = discord.submit(await open(), 'alone', { alone: true });
    await eventually(() => sent.edits > 0);
    expect(sent.acknowledged).toBe(5);
    expect(sent.original?.hidden).toBe(true);
    expect(textOf(sent.original)).toContain('blue: alone');
  });

  it('keeps a private card out of a public message', async () => {
    const { discord, open, shown } = await withCard('board');
    const pressed = await open();
    const seen = discord.submit(pressed, 'hello');
    await eventually(() => seen.edits > 0);
    const secret = discord.submit(pressed, 'secret');
    await eventually(() => secret.whispers.length > 0);
    expect(secret.whispers.map(({ hidden }) => hidden)).toEqual([true]);
    expect(secret.edits).toBe(0);
    expect(textOf(shown)).toContain('hello');
  });
});

describe('the buttons of forms', () => {
  const render = (actions: readonly { label: string; form: Form }[], commands = [note]) => {
    const bugs: unknown[] = [];
    const card = { ...noteCard('plain', 'A card', 'x'), actions: [actions] };
    const body = renderCard(card, {
      commands,
      owner: CALLER,
      onBug: (bug) => bugs.push(bug),
    });
    const ids = partsOf(body).flatMap(({ custom_id }) => custom_id ?? []);
    return { ids, bugs };
  };

  it('are told apart if they call the same', () => {
    const { ids, bugs } = render([WRITE, { ...WRITE, label: 'Another' }]);
    expect(new Set(ids).size).toBe(2);
    expect(bugs).toEqual([]);
  });

  it('for one call open in the words of the one that was pressed', async () => {
    const { discord, up } = await testBot();
    const long = 'A label of more words than the title of any form has room for';
    const run = () => ({
      ...noteCard('plain', 'Note', 'x'),
      actions: [[WRITE, { ...WRITE, label: long }]],
    });
    await up({ answerer: answererWith({ commands: [{ ...note, run }] }) });
    const asked = discord.command('note');
    await eventually(() => asked.seen.length > 0);
    const pressed = discord.press(asked.seen[0]!, buttonOf(asked.seen[0], long));
    await eventually(() => pressed.form !== undefined);
    expect(pressed.form?.title).toBe('A label of more words than the title of any…');
  });

  it.each([
    ['an option that is none', { ...FORM, option: 'nothing' }],
    ['a command that is none', { ...FORM, call: { command: 'nothing', args: {} } }],
    [
      'too much beside the text',
      { ...FORM, call: { command: 'note', args: { word: 'x'.repeat(100) } } },
    ],
  ])('are omitted with a log entry: %s', (_, form) => {
    expect(render([{ label: 'x', form }])).toEqual({ ids: [], bugs: [expect.any(Error)] });
  });
});
