import { expect, it } from 'vitest';
import { readingFinding } from '#cli/doctor/rules';

const said = (state: string, words?: string) => {
  const { level, text } = readingFinding('source eth', { id: 'eth', state, words, nodes: [] });
  return [level, text];
};

it('A row about a source warns of what a source lacks although it is read', () => {
  expect(said('following')).toEqual(['ok', 'the running service reads it']);
  expect(said('following', 'Balances can’t be compared.')).toEqual([
    'warn',
    'the running service reads it. Balances can’t be compared.',
  ]);
});

it('A row about a source says why a source is not read, or where to find out', () => {
  expect(said('waiting', 'Its node is late.')).toEqual([
    'warn',
    "the running service can't read it now: Its node is late.",
  ]);
  expect(said('stopped')).toEqual([
    'fail',
    'the running service has stopped reading it: it says no reason; see its log.',
  ]);
});
