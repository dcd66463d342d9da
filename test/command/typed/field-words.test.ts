import { describe, expect, it } from 'vitest';
import { readFields, readNamed } from '#command/arguments';
import { textsFor } from '#command/texts/index';
import { sortWords } from '#command/typed/sort-words';
import { gate } from '#commands/gating/gate';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';

/* What moderators type into one field, and on a line behind its name. */

const texts = textsFor('en');
const wallets = createWalletParser(chains);

function inField(name: string, text: string): unknown {
  const fields = readFields(gate, texts, { action: 'add', [name]: text });
  return readNamed(gate, texts, wallets, fields)[name];
}

function onLine(name: string, text: string): unknown {
  const given = sortWords(gate, texts, `add ${name}:${text} hidden:no`);
  return readNamed(gate, texts, wallets, given)[name];
}

describe('a field', () => {
  it.each([
    ['most', 'at most 9000', 9_000],
    ['most', 'up to 9k', 9_000],
    ['most', 'hasta 9000', 9_000],
    ['most', 'hasta 9 000 puntos', 9_000],
    ['most', '9000 or less', 9_000],
    ['most', '9000 o menos', 9_000],
    ['top', '100th', 100],
    ['top', '100.º', 100],
    ['top', 'first 100', 100],
    ['top', 'up to 100', 100],
    ['top', 'los 100 primeros', 100],
    ['top', '100 places', 100],
    ['top', '100 or better', 100],
    ['score', '1m', 1_000_000],
    ['score', '0.5m', 500_000],
    ['score', '0,57 millones', 570_000],
    ['score', '2millones', 2_000_000],
    ['score', '1.25k points', 1_250],
    ['grace', 'un día', 24],
    ['grace', 'one week', 168],
    ['grace', '1.5 days', 36],
  ])('%s takes %s, and so does a line', (name, text, value) => {
    expect(inField(name, text)).toBe(value);
    expect(onLine(name, text)).toBe(value);
  });

  it.each(['1d12h', '1d 12h', '1 day and 12 hours', '1 día y 12 horas'])('grace takes %s', (text) =>
    expect(inField('grace', text)).toBe(36),
  );

  it.each([
    ['score', 'up to 9k'],
    ['score', 'first 100'],
    ['score', '1.555m'],
    ['score', '1.5555k'],
    ['most', 'first 100'],
    ['most', '100th'],
    ['top', '1m'],
    ['grace', '90 min'],
    ['grace', '1m'],
    ['grace', '1.25h'],
    ['grace', '12h1d'],
    ['grace', '1d36h'],
    ['grace', 'un mes'],
  ])('%s refuses %s by its word', (name, text) => {
    expect(() => inField(name, text)).toThrow(`${name}: `);
    expect(() => inField(name, text)).toThrow(text);
    if (name === 'grace') expect(() => onLine(name, text)).toThrow(text);
  });
});

describe('a line', () => {
  it.each([
    ['top first 100 tier:whale', { top: '100', tier: 'whale' }],
    ['most at most 9000 tier whale', { most: '9000', tier: 'whale' }],
    ['tier:whale plazo un día', { tier: 'whale', grace: 'un día' }],
    ['“tier”:“whale”', { tier: 'whale' }],
    ['"tier": "whale" "score":"5000"', { tier: 'whale', score: '5000' }],
    ['«nivel»:«ballena»', { tier: 'ballena' }],
  ])('reads %s', (typed, given) => {
    expect(sortWords(gate, texts, `add ${typed}`)).toEqual({ action: 'add', ...given });
    expect(sortWords(gate, texts, `agregar ${typed}`)).toEqual({ action: 'agregar', ...given });
  });

  it.each([
    ['most 200 or more', 'more'],
    ['most:200 puntos o más', 'más'],
    ['most : 5 000 or more', 'more'],
    ['most at least 200', 'at'],
    ['top: al menos 100', 'al'],
  ])('takes no lower bound for an upper one: %s', (typed, word) => {
    const read = () => Object.values(sortWords(gate, texts, `add tier:whale ${typed}`));
    let given: readonly string[];
    try {
      // It's no badge either, as the answer then says.
      given = read();
    } catch (error) {
      given = [error instanceof Error ? error.message : ''];
    }
    expect(given.some((each) => each === word || each.includes(`“${word}”`))).toBe(true);
  });

  it('reads a rule’s name with its id, as reports write it', () => {
    expect(sortWords(gate, texts, 'edit Whales (dw9m) grace:0')).toMatchObject({
      ...{ action: 'edit', rule: 'Whales (dw9m)', grace: '0' },
    });
  });

  it('takes no number behind an upper bound’s phrase for another option', () => {
    expect(sortWords(gate, texts, 'add top:10 most:90 up to 500')).not.toHaveProperty('score');
  });
});
