import { expect, it } from 'vitest';
import { readingFinding } from '#cli/doctor/rules';
import { inspectSource, sourceReportText } from '#cli/sources/run';
import { inputsBySource } from '#scoring/inputs/input';
import { CHAIN_RULES } from '../support/chain-rules.ts';
import { validRules } from '../support/rules.ts';

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

it('A report on a source says how far it is read, be there rules that have not begun or not', async () => {
  const { rules } = validRules(CHAIN_RULES);
  const states = (inputsBySource([rules]).get('eth') ?? []).map(({ name }) => ({
    ...{ source: 'eth', name, verdict: undefined, events: 0, leftOut: 0 },
    position: { height: 230, hash: '0x1', time: 1_700_000_000 },
  }));
  const textFor = async (after: typeof states) => {
    const readings = { before: after, after, seconds: 1 };
    const reports = await inspectSource([rules], readings, new Map(), () => undefined);
    const eth = reports.find(({ source }) => source.id === 'eth');
    return eth && sourceReportText(eth, undefined).split('\n')[0];
  };
  const whole = await textFor(states);
  expect(whole).toContain('230');
  expect(await textFor(states.slice(0, 1))).toBe(`${whole}, except for rules that haven't begun`);
  expect(await textFor([])).not.toContain('230');
});
