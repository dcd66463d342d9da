import { expect, it } from 'vitest';
import { wallSeconds } from '#base/time/clock';
import { nodeRow } from '#cli/sources/run';
import type { Source } from '#scoring/model';

const SOURCE: Source = {
  ...{ id: 'eth', chain: 'eip155:1', kind: 'evm' },
  ...{ variables: ['NODE'], depth: undefined },
};
const HOST = 'node.example:443';

/** What is said of a node that can be used, or can't for a reason. */
function textOf(words: string | undefined, lastFault?: string): string | undefined {
  const end = { height: 7, hash: null, time: wallSeconds() - 3 * 86_400 };
  const probed = {
    variable: 'NODE',
    host: HOST,
    end: words === undefined ? end : undefined,
    words,
  };
  return nodeRow(SOURCE, probed, { variable: 'NODE', widest: undefined, lastFault }).at(-1);
}

it('A row about nodes ends each sentence about a node with one full stop', () => {
  const limited = `NODE (${HOST}) is rate-limiting us.`;
  expect(textOf(undefined)).toBe('at 7, 3 days old');
  expect(textOf(undefined, limited)).toBe(`at 7, 3 days old. Last fault: ${limited}`);
  expect(textOf(`NODE (${HOST}) took too long to respond.`, limited)).toBe(
    `took too long to respond. Last fault: ${limited}`,
  );
});

it('A row about nodes says once what the service and the check have both found', () => {
  const limited = `NODE (${HOST}) is rate-limiting us.`;
  expect(textOf(limited, limited)).toBe('is rate-limiting us.');
});
