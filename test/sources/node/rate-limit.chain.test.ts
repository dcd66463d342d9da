import { expect, it, onTestFinished } from 'vitest';
import { SourceNode } from '#sources/node/node';
import { openStandIn, type StandInAnswer } from '../../support/sources/http-stand-in.ts';

/* How gateways before a node ask for fewer requests, each in words of its own. */

async function askAfter(answer: StandInAnswer) {
  const standIn = await openStandIn(() => answer);
  const node = new SourceNode(standIn.url, { maxBytes: 1_000_000, timeoutMs: 60_000 });
  onTestFinished(() => node.close());
  const isOurs = (json: unknown) => Object.hasOwn(json as object, 'result');
  return await node.ask({ isOurs }).then(
    () => 'answered',
    (error: { kind?: string }) => error.kind,
  );
}

const PAGE = '<html><style>p {}</style><h1>Too many requests</h1><p>Please slow down.</p></html>';
const ABOUT = `<html><h1>Nodes without a rate limit</h1>${'<p>Buy one today, or read on.</p>'.repeat(80)}`;

it.each<[StandInAnswer]>([
  [{ body: { error: 'rate limit' } }],
  [{ body: { error: 'unauthorized', error_description: 'too many requests, refer to the docs' } }],
  [{ body: { error: { message: 'Rate limit exceeded' } } }],
  [{ body: { message: 'API rate limit exceeded' } }],
  [{ body: { data: null, errors: [{ message: 'Too many requests' }] } }],
  [{ body: '"Too Many Requests"' }],
  [{ body: 'You are being rate limited' }],
  [{ body: PAGE }],
  [{ status: 403, body: PAGE }],
  [{ status: 503, body: { message: 'rate limit' } }],
])('A gateway that says so in words asks for fewer requests: %j', async (answer) => {
  expect(await askAfter(answer)).toBe('limited');
});

it.each<[StandInAnswer, string]>([
  [{ body: { result: 'rate limit' } }, 'answered'],
  [{ body: { result: 1, error: { code: 1, message: 'rate limit' } } }, 'answered'],
  [{ body: { error: 'too many requests in one batch' } }, 'broken'],
  [{ body: ABOUT }, 'unreachable'],
  [{ status: 403, body: { message: 'Forbidden' } }, 'unfit'],
])('Other words ask for no fewer requests: %j is %s', async (answer, kind) => {
  expect(await askAfter(answer)).toBe(kind);
});
