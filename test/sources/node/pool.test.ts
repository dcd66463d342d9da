import { expect, it, onTestFinished } from 'vitest';
import type { AnswerComparison } from '#sources/node/disagreement';
import type { NodeFaultKind } from '#sources/node/fault';
import { type NodeCall, SourceNode } from '#sources/node/node';
import { NodePool } from '#sources/node/pool';
import { SourceStopped } from '#sources/source';

/** Nodes that respond as told, and a clock set by hand. */
function poolOf(...hosts: string[]) {
  const clock = { ms: 1_000 };
  const nodes = hosts.map(
    (host) => new SourceNode(new URL(`http://${host}/kEy`), { maxBytes: 1, timeoutMs: 1 }),
  );
  const pool = new NodePool(nodes, { source: 'sol', now: () => clock.ms });
  onTestFinished(() => pool.close());
  const says = new Map<string, string | NodeFaultKind>(hosts.map((host) => [host, host]));
  const asked: string[] = [];
  const work = async (node: NodeCall) => {
    asked.push(node.host);
    const said = says.get(node.host) ?? '';
    if (said === 'limited') throw node.fault('limited', 'is rate-limiting us', { retryAfter: 7 });
    if (FAULTS.has(said)) throw node.fault(said as NodeFaultKind, 'fails');
    return said;
  };
  return { pool, clock, says, asked, work };
}

const FAULTS = new Set(['unreachable', 'behind', 'broken', 'unfit', 'too-much']);
const same: AnswerComparison<string> = {
  about: 'slots 1–2',
  differenceOf: (one, other) =>
    one === other ? undefined : (name, otherName) => `${name} has more than ${otherName}`,
};

it('A pool of nodes asks the next node when one fails, and the first one again after a pause', async () => {
  const { pool, clock, says, asked, work } = poolOf('a', 'b');
  says.set('a', 'unreachable');
  expect(await pool.ask(work)).toBe('b');
  expect(await pool.ask(work)).toBe('b');
  expect(asked).toEqual(['a', 'b', 'b']);
  says.set('a', 'well again');
  clock.ms += 60_000;
  expect(await pool.ask(work)).toBe('well again');
  expect(pool.status().map(({ state }) => state)).toEqual(['ok', 'ok']);
});

it('A pool of nodes pauses a node for longer the more often it fails in a row', async () => {
  const { pool, clock, says, asked, work } = poolOf('a', 'b');
  says.set('a', 'broken');
  for (let second = 0; second < 600; second += 1) {
    await pool.ask(work);
    clock.ms += 1_000;
  }
  // Every second at first, then every 30 to 60 seconds.
  const tries = asked.filter((host) => host === 'a').length;
  expect(tries).toBeGreaterThan(10);
  expect(tries).toBeLessThan(30);
});

it('A pool of nodes asks a node of another chain again within half a minute', async () => {
  const { pool, clock, says, work } = poolOf('a');
  says.set('a', 'unfit');
  for (let time = 0; time < 4; time += 1) {
    await expect(pool.ask(work)).rejects.toMatchObject({ kind: 'unfit' });
    clock.ms += 30_000;
  }
  says.set('a', 'the right chain');
  expect(await pool.ask(work)).toBe('the right chain');
});

it('A pool of nodes leaves a node alone for as long as it asks', async () => {
  const { pool, clock, says, asked, work } = poolOf('a');
  says.set('a', 'limited');
  await expect(pool.ask(work)).rejects.toMatchObject({ kind: 'limited', retryAfter: 7 });
  clock.ms += 6_999;
  await expect(pool.ask(work)).rejects.toMatchObject({ retryAfter: 1 });
  expect(asked).toHaveLength(1);
  says.set('a', 'well again');
  clock.ms += 1;
  expect(await pool.ask(work)).toBe('well again');
});

it('A pool of nodes reports what is too much at once, without blaming the node', async () => {
  const { pool, says, asked, work } = poolOf('a', 'b');
  says.set('a', 'too-much');
  await expect(pool.ask(work)).rejects.toMatchObject({ kind: 'too-much' });
  says.set('a', 'less');
  expect(await pool.ask(work)).toBe('less');
  expect(asked).toEqual(['a', 'a']);
});

it('A pool of nodes believes what two nodes agree on', async () => {
  const { pool, says, work } = poolOf('a', 'b', 'c');
  for (const host of ['a', 'b', 'c']) says.set(host, 'truth');
  expect(await pool.agreed(work, same)).toBe('truth');
  says.set('a', 'lie');
  expect(await pool.agreed(work, same)).toBe('truth');
  expect(pool.status().map(({ state }) => state)).toEqual(['failing', 'ok', 'ok']);
  expect(pool.status()[0]?.lastFault).toBe(
    'a contradicts two other nodes about slots 1–2: a has more than b.',
  );
});

it('A pool of nodes believes only what both of two nodes vouch for, whichever of them settle it', async () => {
  const { pool, says, work } = poolOf('a', 'b', 'c');
  const prefix: AnswerComparison<string> = {
    about: 'slots 1–2',
    differenceOf: (one, other) =>
      one.startsWith(other) || other.startsWith(one) ? undefined : () => 'they differ',
    vouchedFor: (one, other) => (one.length <= other.length ? one : other),
  };
  says.set('a', 'truth and more').set('b', 'truth').set('c', 'tr');
  expect(await pool.agreed(work, prefix)).toBe('truth');
  says.set('b', 'lie');
  expect(await pool.agreed(work, prefix)).toBe('tr');
});

it('A pool of nodes believes neither of two nodes that contradict each other', async () => {
  const { pool, says, work } = poolOf('a', 'b');
  says.set('a', 'truth');
  says.set('b', 'lie');
  const both = pool.agreed(work, same);
  await expect(both).rejects.toThrow(SourceStopped);
  await expect(both).rejects.toThrow(
    'a and b contradict each other about sol, slots 1–2: a has more than b. None of it counts until two agree. Name a third node to settle it, or replace the one that is wrong.',
  );
  says.set('b', 'truth');
  expect(await pool.agreed(work, same)).toBe('truth');
});

it('A pool of nodes says that a third node is silent, not that one should be named', async () => {
  const { pool, says, work } = poolOf('a', 'b', 'c');
  says.set('a', 'truth').set('b', 'lie').set('c', 'unreachable');
  await expect(pool.agreed(work, same)).rejects.toThrow(
    'No other node answers now to settle it. None of it counts until two agree. Name another node,',
  );
});

it('A pool of nodes waits for a second node if one is named', async () => {
  const { pool, clock, says, work } = poolOf('a', 'b');
  says.set('a', 'truth');
  says.set('b', 'unreachable');
  await expect(pool.agreed(work, same)).rejects.toThrow('No two nodes of sol answer');
  says.set('b', 'truth');
  await expect(pool.agreed(work, same)).rejects.toThrow('b fails');
  clock.ms += 60_000;
  expect(await pool.agreed(work, same)).toBe('truth');
});

it('A pool of nodes says what each node lacks if none answers', async () => {
  const { pool, says, work } = poolOf('a', 'b');
  says.set('a', 'unreachable').set('b', 'unreachable');
  await expect(pool.agreed(work, same)).rejects.toThrow(
    'No two nodes of sol answer, so neither can be checked by the other. a fails. b fails.',
  );
});

it('A pool of nodes asks the second node while the first one answers', async () => {
  const { pool } = poolOf('a', 'b', 'c');
  const asked: string[] = [];
  const both = Promise.withResolvers<void>();
  const value = await pool.agreed(async ({ host }) => {
    asked.push(host);
    if (asked.length === 2) both.resolve();
    await both.promise;
    return 'truth';
  }, same);
  expect([value, ...asked]).toEqual(['truth', 'a', 'b']);
});

it('A pool of nodes counts questions that fail together once', async () => {
  const { pool, clock, says, asked, work } = poolOf('a', 'b');
  says.set('a', 'unreachable');
  await Promise.all(Array.from({ length: 10 }, () => pool.ask(work)));
  clock.ms += 1_000;
  await pool.ask(work);
  expect(asked.filter((host) => host === 'a')).toHaveLength(11);
});

it('A pool of nodes asks one node alone if only one is named', async () => {
  const { pool, asked, work } = poolOf('a');
  expect(await pool.agreed(work, same)).toBe('a');
  expect(asked).toEqual(['a']);
  expect(pool.isCompared).toBe(false);
});

it('A pool of nodes uses the highest head that a second node confirms, and reports a higher one', async () => {
  const { pool } = poolOf('a', 'b', 'c');
  const heights: Record<string, number> = { a: 7, b: 12, c: 10 };
  const head = await pool.head(async ({ host }) => ({ height: heights[host] ?? 0 }));
  expect(head).toEqual({ height: 10, newest: { height: 12 } });
  heights.c = 12;
  expect(await pool.head(async ({ host }) => ({ height: heights[host] ?? 0 }))).toEqual({
    height: 12,
  });
  expect(pool.status().map(({ height }) => height)).toEqual([7, 12, 12]);
});

it('A pool of nodes shows only host and port of a URL', async () => {
  const { pool, says, work } = poolOf('a:8545');
  says.set('a:8545', 'unfit');
  const error: unknown = await pool.ask(work).catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('a:8545');
  expect(JSON.stringify([error, pool.status()]) + String(error)).not.toContain('kEy');
});
