import { beforeEach, describe, expect, it } from 'vitest';
import { RetryableError, UserError } from '#base/errors';
import { soleReplica } from '#cluster/memory-work';
import { worksNotice } from '#cluster/notices';
import type { Replica } from '#cluster/replica';
import type { SourceReader } from '#sources/reading/reader';
import { SourceStopped, sourceClaim } from '#sources/source';
import { untilPasses } from '../support/eventually.ts';
import { silentLog } from '../support/log.ts';
import { ModelChain } from '../support/model-chain.ts';
import { inputNamed, openReading, skipper } from '../support/reading.ts';

describe('reading a source', () => {
  type Reading = Awaited<ReturnType<typeof openReading>>;
  let store: Reading['store'];
  let chain: ModelChain;
  let want: Reading['want'];
  let start: Reading['start'];
  let heights: Reading['heights'];

  beforeEach(async () => {
    ({ store, chain, want, start, heights } = await openReading());
  });

  const events = async () => {
    const [kept] = await store.scoring.evidence({ from: 0, to: 1_000 });
    return new Set(kept?.events.map(({ input, height }) => `${input}${height}`));
  };
  const all = (name: string, since: number, to: number) =>
    Array.from({ length: to / 10 + 1 }, (_, i) => i * 10)
      .filter((height) => height >= since)
      .map((height) => `${name}${height}`);

  it('reads inputs that begin apart in order, together as soon as they meet', async () => {
    want([inputNamed('a', 1), inputNamed('b', 71)]);
    start();
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200, b: 200 }));
    expect(chain.asked.map(({ inputs, from, to }) => `${inputs.join()} ${from}-${to}`)).toEqual([
      ...['a 0-50', 'a 50-70', 'a,b 70-120', 'a,b 120-170', 'a,b 170-200'],
    ]);
    expect(await events()).toEqual(new Set([...all('a', 1, 200), ...all('b', 71, 200)]));
  });

  it('looks for each start once, however many inputs share it, and keeps it while another fails', async () => {
    const dayOf = (day: number) => ({ kind: 'day', day }) as const;
    const inputs = ['a', 'b', 'c', 'd'].map((name, place) => {
      return { ...inputNamed(name, 1), since: dayOf(place % 2) };
    });
    let faults = 1;
    chain.onBegin = (since) => {
      const isSecond = since.kind === 'day' && since.day === 1;
      if (isSecond && faults-- > 0) throw new RetryableError('no node answers');
    };
    want(inputs);
    start();
    await untilPasses(async () =>
      expect(Object.values(await heights())).toEqual([200, 200, 200, 200]),
    );
    expect(chain.begun).toEqual([dayOf(0), dayOf(1), dayOf(1)]);
  });

  it('reads on while an added input can’t begin, and says why', async () => {
    const [a, b, c] = [inputNamed('a', 1), inputNamed('b', 205), inputNamed('c', 1)];
    const fault = 'its start isn’t reached';
    chain.onBegin = (since) => {
      if (since.kind === 'height' && since.height > chain.head) throw new RetryableError(fault);
    };
    want([a]);
    const reader = start();
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
    want([b, c, a], [a]);
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200, c: 200 }));
    await untilPasses(() => expect(reader.status()).toMatchObject({ state: 'following' }));
    expect(reader.status().words).toContain(fault);
    expect(reader.status().unbegun).toBe(1);
    chain.head = 204;
    await untilPasses(async () => expect(await heights()).toEqual({ a: 204, c: 204 }));
    expect(reader.health).toBe('works');
    chain.head = 210;
    await untilPasses(async () => expect(await heights()).toEqual({ a: 210, b: 210, c: 210 }));
    await untilPasses(() => expect(reader.status()).toMatchObject({ words: undefined }));
    expect(reader.status().unbegun).toBe(0);
  });

  it('says that data is missing while a live input can’t begin', async () => {
    const [a, b] = [inputNamed('a', 1), inputNamed('b', 205)];
    chain.onBegin = ({ kind }) => {
      if (kind === 'height' && chain.begun.at(-1) === b.since) throw new RetryableError('ahead');
    };
    want([a, b]);
    const reader = start(chain, { unreadMs: 1 });
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
    await untilPasses(() => expect(reader.health).toBe('fails'));
    expect(reader.isFarBehind).toBe(true);
    expect(reader.status().words).toContain('ahead');
  });

  it('fills in an added input, after the others have advanced', async () => {
    const a = inputNamed('a', 1);
    want([a]);
    const reader = start();
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
    await untilPasses(() => expect(reader.status().state).toBe('following'));
    chain.asked.length = 0;
    chain.onRead = () => {
      // A new block arrives while the added input's first range is read.
      if (chain.asked.length === 1) chain.head = 210;
    };
    want([a, inputNamed('b', 91)], [a]);
    await untilPasses(async () => expect(await heights()).toEqual({ a: 210, b: 210 }));
    const live = chain.asked.findIndex(({ inputs, from }) => inputs[0] === 'a' && from === 200);
    const joined = chain.asked.findIndex(({ inputs }) => inputs.length === 2);
    expect(live).toBeGreaterThan(0);
    expect(joined === -1 || joined >= live).toBe(true);
    expect(await events()).toEqual(new Set([...all('a', 1, 210), ...all('b', 91, 210)]));
  });

  it('is far behind until little of the chain’s time is left', async () => {
    chain.head = 1_000;
    const far: [height: number, isFar: boolean][] = [];
    chain.onRead = ({ from }) => void far.push([from.height, reader.isFarBehind]);
    want([inputNamed('a', 1)]);
    const reader = start();
    await untilPasses(async () => expect(await heights()).toEqual({ a: 1_000 }));
    await untilPasses(() => expect(reader.isFarBehind).toBe(false));
    // Ten seconds a height.
    expect(far.filter(([, isFar]) => isFar).map(([height]) => height)).toEqual(
      far.map(([height]) => height).filter((height) => height < 640),
    );
    expect(far[0]).toEqual([0, true]);
  });

  it('counts as far behind from the start on, until the end is known', async () => {
    want([inputNamed('a', 1)]);
    const before = start();
    await untilPasses(() => expect(before.status().state).toBe('following'));
    expect(before.isFarBehind).toBe(false);
    await before.stop();
    const ended = Promise.withResolvers<void>();
    const isAsked = Promise.withResolvers<void>();
    chain.onEnd = () => {
      isAsked.resolve();
      return ended.promise;
    };
    const after = start();
    expect(after.isFarBehind).toBe(true);
    await isAsked.promise;
    expect(after.isFarBehind).toBe(true);
    ended.resolve();
    await untilPasses(() => expect(after.isFarBehind).toBe(false));
    // Of what no live rule needs, nothing is missing.
    want([inputNamed('b', 1)], []);
    expect(start().isFarBehind).toBe(false);
  });

  it('continues after a passing fault, and says why it waits', async () => {
    want([inputNamed('a', 1)]);
    let reader: SourceReader | undefined;
    const said: unknown[] = [];
    chain.onRead = () => {
      said.push(reader?.status().words);
      if (chain.asked.length < 3) throw new RetryableError('node.example took too long');
    };
    reader = start();
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
    expect(said.slice(1, 3)).toEqual(['node.example took too long', 'node.example took too long']);
    expect(reader.status()).toMatchObject({ words: undefined });
  });

  it('fails if all replicas do so in turns for long, until one says that it reads', async () => {
    const skip = skipper();
    want([inputNamed('a', 1)]);
    let failures = 0;
    chain.onRead = () => {
      failures += 1;
      throw new RetryableError('node.example took too long');
    };
    const own = soleReplica(silentLog);
    let isOthers = false;
    const during: Replica['during'] = async (claim, work) =>
      isOthers ? undefined : await own.during(claim, work);
    const heard = new Set<string>();
    const peersAnnounce = (notice: string) => heard.has(notice);
    const reader = start(chain, { replica: { during, peersAnnounce }, unreadMs: 1_000_000 });
    const fails = async () => {
      isOthers = false;
      const before = failures;
      await untilPasses(() => expect(failures).toBeGreaterThan(before));
    };
    await fails();
    const standsBy = async () => {
      isOthers = true;
      await untilPasses(() => expect(reader.status().state).toBe('standby'));
    };
    await standsBy();
    skip(900_000);
    expect(reader.health).toBeUndefined();
    // However long another replica's attempt takes.
    skip(200_000);
    await fails();
    expect(reader.health).toBe('fails');
    await standsBy();
    expect(reader.health).toBe('fails');
    expect(reader.isFarBehind).toBe(true);
    heard.add(worksNotice(sourceClaim('eth')));
    await untilPasses(() => expect(reader.health).toBeUndefined());
    expect(reader.isFarBehind).toBe(false);
  });

  it.each([
    new RetryableError("Postgres isn't responding."),
    new UserError('wrong-configuration', 'Postgres lacks tables.'),
  ])(
    'stands by soon after an outage of the database, however rarely nodes are asked: %s',
    async (error) => {
      want([inputNamed('a', 1)]);
      let isAway = true;
      const during: Replica['during'] = async () => {
        if (isAway) throw error;
        return undefined;
      };
      const rarely = { retryMs: { first: 10_000_000, most: 10_000_000 }, stoppedMs: 10_000_000 };
      const reader = start(chain, { replica: { during, peersAnnounce: () => true }, ...rarely });
      await untilPasses(() => expect(reader.status().words).toBe(error.message));
      isAway = false;
      await untilPasses(() => expect(reader.status().state).toBe('standby'));
      expect(reader.health).toBeUndefined();
    },
  );

  it('stands by without a fault once it has lost its claim, as after it was suspended', async () => {
    want([inputNamed('a', 1)]);
    const lost = new AbortController();
    let isOthers = false;
    const during: Replica['during'] = async (_, work) => {
      if (isOthers) return undefined;
      return await work({ signal: lost.signal, isHeld: async () => !lost.signal.aborted });
    };
    const said: string[] = [];
    const say = (_: unknown, message: string) => void said.push(message);
    const log = { ...silentLog, warn: say, error: say };
    const reader = start(chain, { replica: { during, peersAnnounce: () => true }, log });
    await untilPasses(() => expect(reader.status().state).toBe('following'));
    isOthers = true;
    lost.abort();
    await untilPasses(() =>
      expect(reader.status()).toMatchObject({ state: 'standby', words: undefined }),
    );
    expect([said, reader.health]).toEqual([[], undefined]);
  });

  it('reports how far another replica has read, not how far it once read itself', async () => {
    want([inputNamed('a', 1)]);
    const lost = new AbortController();
    let isOthers = false;
    const during: Replica['during'] = async (_, work) => {
      if (isOthers) return undefined;
      return await work({ signal: lost.signal, isHeld: async () => !lost.signal.aborted });
    };
    const former = start(chain, { replica: { during, peersAnnounce: () => true } });
    const of = (reader: SourceReader) => {
      const { state, position, end, remainingSeconds } = reader.status();
      return { state, at: position?.height, end: end?.height, remainingSeconds };
    };
    await untilPasses(() =>
      expect(of(former)).toMatchObject({ state: 'following', at: 200, end: 200 }),
    );
    isOthers = true;
    lost.abort();
    const leader = start(new ModelChain(300));
    await untilPasses(() => expect(of(leader)).toMatchObject({ state: 'following', at: 300 }));
    const standby = { state: 'standby', at: 300, end: undefined, remainingSeconds: undefined };
    await untilPasses(() => expect(of(former)).toEqual(standby));
    const late = start(chain, { replica: { during, peersAnnounce: () => true } });
    await untilPasses(() => expect(of(late)).toEqual(standby));
  });

  it('counts nothing and deletes nothing once it has stopped', async () => {
    want([inputNamed('a', 1)]);
    chain.onRead = ({ from }) => {
      if (from.height === 100) throw new SourceStopped('block 100 has another hash now');
    };
    const reader = start();
    await untilPasses(() => expect(reader.status().state).toBe('stopped'));
    expect(reader.health).toBe('fails');
    expect(reader.status().words).toBe('block 100 has another hash now');
    expect(await heights()).toEqual({ a: 100 });
    expect(await events()).toEqual(new Set(all('a', 1, 100)));
  });

  it('stops for a source whose evidence is of another chain', async () => {
    await store.evidence.begin({ id: 'eth', chain: 'eip155:10' }, []);
    want([inputNamed('a', 1)]);
    const reader = start();
    await untilPasses(() => expect(reader.status().state).toBe('stopped'));
    expect(reader.status().words).toContain('was read from eip155:10 before');
    expect(await heights()).toEqual({});
  });

  it('by two replicas at once writes everything once', async () => {
    want([inputNamed('a', 1)]);
    const other = new ModelChain(200);
    // Both have read the first range before either writes it.
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    chain.onRead = async () => (chain.asked.length === 1 ? first.promise : undefined);
    other.onRead = async () => (other.asked.length === 1 ? second.promise : undefined);
    start();
    await untilPasses(() => expect(chain.asked.length).toBe(1));
    start(other);
    await untilPasses(() => expect(other.asked.length).toBe(1));
    first.resolve();
    second.resolve();
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
    expect(await events()).toEqual(new Set(all('a', 1, 200)));
  });

  it('reads at most the range again that was in flight when it was killed', async () => {
    want([inputNamed('a', 1)]);
    const gate = Promise.withResolvers<void>();
    chain.onRead = async () => {
      if (chain.asked.length === 3) await gate.promise;
    };
    const reader = start();
    await untilPasses(() => expect(chain.asked.length).toBe(3));
    const ended = reader.stop();
    gate.resolve();
    await ended;
    expect(await heights()).toEqual({ a: 100 });
    const next = new ModelChain(200);
    start(next);
    await untilPasses(async () => expect(await heights()).toEqual({ a: 200 }));
    expect(next.asked[0]).toMatchObject({ from: 100 });
    expect(await events()).toEqual(new Set(all('a', 1, 200)));
  });
});
