import { describe, expect, it } from 'vitest';
import { LANGUAGES, textsFor } from '#command/texts/index';
import { commandCalled } from '#command/typed/command-name';
import { commands } from '#commands/index';
import { readLine } from '#http/pages/playground/ask';

const NAMES = commands.map(({ name }) => name);
const CALLED = LANGUAGES.flatMap((each) => Object.entries(textsFor(each).commandNames)).flatMap(
  ([command, names]) => names.split(' ').map((name) => [name, command] as const),
);

describe('a command', () => {
  it.each(CALLED)('is known by another name: /%s', (called, command) => {
    expect(NAMES).toContain(command);
    expect(NAMES).not.toContain(called);
    expect(commandCalled(called)).toBe(command);
    expect(readLine(`/${called} vera`, commands)).toMatchObject({ name: command, rest: 'vera' });
  });

  it('is known by it with accents and capitals, and a word alone stays one', () => {
    expect(commandCalled('Clasificación')).toBe('top');
    expect(commandCalled('vera')).toBe('vera');
    expect(readLine('ranking', commands)).toMatchObject({ name: 'rep', rest: 'ranking' });
  });
});
