import { expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import { wallSeconds } from '#base/time/clock';
import { soleReplica } from '#cluster/memory-work';
import { worksNotice } from '#cluster/notices';
import type { Replica } from '#cluster/replica';
import type { SourceReader } from '#sources/reading/reader';
import { sourceClaim } from '#sources/source';
import { untilPasses } from '../support/eventually.ts';
import { silentLog } from '../support/log.ts';
import { inputNamed, openReading, skipper } from '../support/reading.ts';

/** How old the model chain's first block is, in seconds. */
const AGE_S = wallSeconds() - 1_600_000_000;

/** Scores are partial at once, and stale if it lasts. @param mend ends it */
async function failsUntil(
  reader: SourceReader,
  skip: (ms: number) => void,
  mend: () => void,
): Promise<void> {
  expect([reader.isFarBehind, reader.health]).toEqual([true, undefined]);
  skip(100_000);
  expect(reader.health).toBe('fails');
  mend();
  await untilPasses(() => expect(reader.status().state).toBe('following'));
  expect([reader.isFarBehind, reader.health]).toEqual([false, 'works']);
}

it('A source says that a node which is far behind holds up what is newer, and fails if that lasts', async () => {
  const { chain, want, start, heights } = await openReading();
  const skip = skipper();
  want([inputNamed('a', 1)]);
  chain.newest = 1_000;
  const reader = start(chain, { unreadMs: 100_000 });
  await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
  await untilPasses(() =>
    expect(reader.status()).toMatchObject({
      state: 'waiting',
      position: { height: 200 },
      end: { height: 1_000 },
      words: expect.stringContaining('knows the chain only up to 200'),
    }),
  );
  await failsUntil(reader, skip, () => {
    chain.head = 1_000;
  });
});

it('A source says that nothing newer has become final for long, and fails if that lasts', async () => {
  const { chain, want, start, heights } = await openReading();
  const skip = skipper();
  want([inputNamed('a', 1)]);
  chain.stallMs = 3_600_000;
  chain.ahead = AGE_S;
  const reader = start(chain, { unreadMs: 100_000 });
  await untilPasses(() => expect(reader.status().state).toBe('following'));
  skip(1_800_000);
  chain.head = 300;
  await untilPasses(async () => expect(await heights()).toEqual({ a: 300 }));
  skip(3_000_000);
  const asked = chain.ends;
  await untilPasses(() => expect(chain.ends).toBeGreaterThan(asked + 1));
  expect([reader.status().state, reader.isFarBehind]).toEqual(['following', false]);
  skip(600_000);
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toMatch(
    /nothing newer than 300 \(.*\) has become final for an hour/,
  );
  await failsUntil(reader, skip, () => {
    chain.head = 400;
  });
});

it('A source says that nodes know nothing newer than yesterday, though they have stopped before it began', async () => {
  const { chain, want, start, heights } = await openReading();
  const skip = skipper();
  want([inputNamed('a', 1)]);
  chain.stallMs = 3_600_000;
  chain.ahead = AGE_S - 86_400 - 200 * 10 - 1;
  const reader = start(chain, { unreadMs: 100_000 });
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toMatch(
    /the newest final block is 200 \(.*\), more than a day before the system clock/,
  );
  // What they know counts, as it was true then.
  await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
  await failsUntil(reader, skip, () => {
    chain.head = 300;
  });
});

it('A source says that nodes have fallen behind what was read, also after a restart', async () => {
  const { chain, want, start, readers, heights } = await openReading();
  const skip = skipper();
  want([inputNamed('a', 1)]);
  Object.assign(chain, { stallMs: 3_600_000, head: 1_000, ahead: AGE_S - 10_000 });
  start(chain);
  await untilPasses(async () => expect(await heights()).toEqual({ a: 1_000 }));
  const fallen = async (reader: SourceReader | undefined) => {
    await untilPasses(() => expect(reader?.status().state).toBe('waiting'));
    expect(reader?.status().words).toMatch(
      /the newest final block is 600 \(.*\), but 1000 \(.*\) was final before/,
    );
  };
  chain.head = 600;
  await fallen(readers[0]);
  await readers[0]?.stop();
  const again = start(chain, { unreadMs: 100_000 });
  await fallen(again);
  await failsUntil(again, skip, () => {
    // Nodes aren't in step to the second.
    chain.head = 990;
  });
});

it('A hub that knows less than was read is named once, and nothing is taken back, also after a restart', async () => {
  const { chain, want, start, store, heights } = await openReading();
  want([inputNamed('a', 1)]);
  Object.assign(chain, { head: 1_000, stallMs: undefined });
  const warn = vi.fn();
  const info = vi.fn();
  const log = { ...silentLog, warn, info };
  const first = start(chain, { log });
  await untilPasses(async () => expect(await heights()).toEqual({ a: 1_000 }));
  chain.head = 600;
  const fallen = (reader: SourceReader) =>
    untilPasses(() =>
      expect(reader.status()).toMatchObject({
        state: 'following',
        words: expect.stringMatching(
          /what ended last did so at .*, but what ended up to .* was read/,
        ),
      }),
    );
  await fallen(first);
  await first.stop();
  const again = start(chain, { log });
  await fallen(again);
  expect([again.isFarBehind, again.health]).toEqual([false, 'works']);
  expect(await heights()).toEqual({ a: 1_000 });
  // Once by each process.
  expect(warn.mock.calls.filter(([, words]) => /what ended last/.test(words))).toHaveLength(2);
  chain.head = 1_100;
  await untilPasses(async () => expect(await heights()).toEqual({ a: 1_100 }));
  await untilPasses(() => expect(again.status().words).toBeUndefined());
  expect(info).toHaveBeenCalledWith({}, 'eth knows again what was read');
  expect(await store.evidence.inputs()).toMatchObject([{ position: { height: 1_100 } }]);
});

it('A source says at once that one of two nodes has fallen behind the other', async () => {
  const { chain, want, start } = await openReading();
  want([inputNamed('a', 1)]);
  chain.head = 1_000;
  const reader = start(chain);
  await untilPasses(() => expect(reader.status().state).toBe('following'));
  Object.assign(chain, { head: 600, newest: 1_001 });
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toContain('knows the chain only up to 600');
});

it('A source says while nodes let it wait for long, even if none of them fails', async () => {
  const { chain, want, start } = await openReading();
  want([inputNamed('a', 1)]);
  chain.head = 1_000;
  const answered = Promise.withResolvers<void>();
  chain.onRead = () => answered.promise;
  const reader = start(chain, { unreadMs: 20 });
  await untilPasses(() => expect(reader.health).toBe('fails'));
  expect(reader.isFarBehind).toBe(true);
  expect(reader.status()).toMatchObject({
    state: 'waiting',
    words: expect.stringContaining('The nodes of eth have answered nothing useful for a while'),
  });
  answered.resolve();
  await untilPasses(() =>
    expect([reader.status().state, reader.health]).toEqual(['following', 'works']),
  );
});

it('A source counts nothing that is dated more than a day ahead', async () => {
  const { chain, want, start, heights } = await openReading();
  want([inputNamed('a', 1)]);
  chain.ahead = AGE_S + 2 * 86_400;
  const reader = start(chain);
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toMatch(
    /^The nodes of eth date block \d+ .*, more than a day ahead of the system clock. Nothing of it counts./,
  );
  expect(await heights()).toEqual({ a: 0 });
  chain.ahead = 0;
  await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
});

it('A source takes any silence of a source without blocks for quiet', async () => {
  const { chain, want, start } = await openReading();
  const skip = skipper();
  want([inputNamed('a', 1)]);
  const reader = start(chain, { unreadMs: 0 });
  await untilPasses(() => expect(reader.status().state).toBe('following'));
  skip(30 * 86_400_000);
  const asked = chain.ends;
  await untilPasses(() => expect(chain.ends).toBeGreaterThan(asked + 1));
  expect([reader.status().state, reader.health]).toEqual(['following', 'works']);
});

it('A reader no longer fails for what it lacks once another replica reads the source', async () => {
  const { chain, want, start } = await openReading();
  want([inputNamed('a', 1)]);
  chain.newest = 1_000;
  const own = soleReplica(silentLog);
  const heard = new Set<string>();
  const during: Replica['during'] = async (claim, work) =>
    heard.size > 0 ? undefined : await own.during(claim, work);
  const peersAnnounce = (notice: string) => heard.has(notice);
  const reader = start(chain, { replica: { during, peersAnnounce }, unreadMs: 0 });
  await untilPasses(() => expect(reader.health).toBe('fails'));
  heard.add(worksNotice(sourceClaim('eth')));
  // It loses its claim.
  chain.onEnd = () => {
    throw new RetryableError('node.example took too long');
  };
  await untilPasses(() => expect(reader.status().state).toBe('standby'));
  expect([reader.health, reader.isFarBehind]).toEqual([undefined, false]);
});
