import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OptionSpec } from '#command/command-spec';
import { LANGUAGES, optionName, textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import { answererWith, ask } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';

const languages = LANGUAGES.map((code) => textsFor(code));
const folder = path.join(import.meta.dirname, '../../commands');

it.each(commands.filter(({ subcommands }) => subcommands !== undefined))(
  '/help $name names every action that is typed',
  async ({ name, subcommands, options: [action] }) => {
    const shown = cardText(await ask(answererWith(), 'help', { command: name }));
    for (const choice of Object.keys(subcommands?.options ?? {})) {
      const label = action?.kind === 'choice' ? action.label(choice, textsFor('en')) : undefined;
      expect(shown).toMatch(new RegExp(`: .*\\b${label}\\b`));
    }
  },
);

describe('the list of commands', () => {
  it('contains every file that defines a command', () => {
    const files = globSync('**/*.ts', { cwd: folder })
      .filter((file) => readFileSync(path.join(folder, file), 'utf8').includes('= defineCommand({'))
      .map((file) => path.basename(file, '.ts'));
    expect(commands.map((command) => command.name).toSorted()).toEqual(files.toSorted());
  });

  it('matches the catalogue of every language, in order', () => {
    const names = commands.map((command) => command.name);
    for (const texts of languages) expect(Object.keys(texts.commands)).toEqual(names);
  });

  it('gives each command its own letter', () => {
    const letters = commands.map((command) => command.letter);
    expect(letters.filter((letter, i) => letters.indexOf(letter) !== i)).toEqual([]);
    for (const letter of letters) expect(letter).toMatch(/^[a-z]$/);
  });
});

/** Telegram has the stricter limits for names, Discord for descriptions; see their documentation. */
describe.each(commands)('/$name', (command) => {
  it('has a name and descriptions that both platforms accept', () => {
    expect(command.name).toMatch(/^[a-z]{1,32}$/);
    for (const texts of languages) {
      expectFits(command.about(texts), 100);
      for (const option of command.options) expectFits(option.about(texts), 100);
    }
  });

  it('has options that both platforms accept', () => {
    // Discord counts those of each subcommand by themselves.
    const together = command.subcommands
      ? Object.values(command.subcommands.options)
      : [command.options];
    for (const options of together) expect(options.length).toBeLessThanOrEqual(25);
    const required = command.options.map((option) => option.required);
    expect(required).toEqual(required.toSorted((a, b) => Number(b) - Number(a)));
    for (const texts of languages) {
      const names = command.options.map((option) => optionName(texts, option.name));
      expect(new Set(names).size).toBe(names.length);
      for (const name of names) expect(name).toMatch(/^[-_'\p{Ll}\p{N}]{1,32}$/u);
    }
    for (const option of command.options) expect(option.name).toMatch(/^[a-z]{1,32}$/);
  });

  it('has a name for each of its options in every language', () => {
    for (const texts of languages) {
      expect(Object.keys(texts.optionNames)).toEqual(
        expect.arrayContaining(command.options.map((option) => option.name)),
      );
    }
  });

  it('has choices that both platforms accept', () => {
    for (const option of command.options) {
      if (option.kind !== 'choice') continue;
      // Of actions, those that only buttons use aren't shown.
      const { subcommands } = command;
      const isAction = subcommands !== undefined && option === command.options[0];
      const shown = isAction ? Object.keys(subcommands.options) : option.choices;
      expect(shown.length).toBeLessThanOrEqual(25);
      if (isAction) expect(option.choices).toEqual(expect.arrayContaining([...shown]));
      for (const texts of languages) {
        const labels = option.choices.map((choice) => option.label(choice, texts));
        expect(new Set(labels).size).toBe(labels.length);
        for (const label of labels) expectFits(label, 100);
      }
    }
  });

  it('has at most 8,000 characters in all, in the longest language', () => {
    const sum = (size: (texts: (typeof languages)[number]) => number) =>
      Math.max(...languages.map(size));
    const optionSize = (option: OptionSpec) =>
      sum((texts) => optionName(texts, option.name).length) +
      sum((texts) => option.about(texts).length) +
      (option.kind === 'choice'
        ? option.choices.reduce(
            (all, each) => all + each.length + sum((texts) => option.label(each, texts).length),
            0,
          )
        : 0);
    const own = command.name.length + sum((texts) => command.about(texts).length);
    const all = command.options.reduce((total, option) => total + optionSize(option), own);
    expect(all).toBeLessThanOrEqual(8_000);
  });

  it('uses integer options that Discord accepts', () => {
    for (const option of command.options) {
      if (option.kind !== 'integer') continue;
      expect(option.least).toBeGreaterThanOrEqual(0);
      expect(option.most).toBeLessThan(1e9);
    }
  });
});

function expectFits(text: string, most: number): void {
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThanOrEqual(most);
}
