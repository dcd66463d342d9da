import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  onTestFinished,
  vi,
} from 'vitest';
import { RetryableError } from '#base/errors';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { patienceMs } from '../support/patience.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { IN_EARNEST, type Operations, openOperations } from '../support/postgres/operations.ts';

let cluster: Cluster;
let here: Operations;
let elsewhere: Operations;
let keys = 0;
let url = '';

const WAIT = { timeout: patienceMs() };

beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

beforeEach(async () => {
  url = await createMigratedDatabase(cluster);
  [here, elsewhere] = [openOperations(url), openOperations(url)];
  // Only the clock that measures ages: the database is a real one.
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(async () => {
  vi.useRealTimers();
  await here.db.close();
  await elsewhere.db.close();
});

const later = (seconds: number) => vi.advanceTimersByTime(seconds * 1_000);
const isLive = async (hash: string, store = here) =>
  (await store.keys.findByHash(hash)) !== undefined;

async function makeKey(owner = 'discord:1') {
  keys += 1;
  const hash = `hash${keys}`;
  return { ...(await here.keys.add({ label: '', owner, hash }, 9)), hash };
}

describe('a key', () => {
  it('revoked by another replica is refused within 5 s', async () => {
    const { id, hash } = await makeKey();
    expect(await isLive(hash)).toBe(true);
    await elsewhere.keys.revoke(id);
    expect(await isLive(hash, elsewhere)).toBe(false);
    later(5);
    expect(await isLive(hash)).toBe(false);
  });

  it('revoked by this replica is refused at once', async () => {
    const { id, hash } = await makeKey();
    expect(await isLive(hash)).toBe(true);
    await here.keys.revoke(id);
    expect(await isLive(hash)).toBe(false);
  });

  it('revoked during a lookup is refused from then on', async () => {
    const { id, hash } = await makeKey();
    const looking = here.keys.findByHash(hash);
    const revoking = here.keys.revoke(id);
    await Promise.all([looking, revoking]);
    expect(await isLive(hash)).toBe(false);
  });

  it('erased with its owner is refused at once, and those of others stay', async () => {
    const [mine, other] = [await makeKey(), await makeKey('discord:2')];
    expect([await isLive(mine.hash), await isLive(other.hash)]).toEqual([true, true]);
    await here.links.erase({ platform: 'discord', id: '1' }, 0);
    expect([await isLive(mine.hash), await isLive(other.hash)]).toEqual([false, true]);
  });

  it('A key that was missing is found as soon as it exists', async () => {
    expect(await isLive(`hash${keys + 1}`)).toBe(false);
    const { hash } = await makeKey();
    expect(await isLive(hash)).toBe(true);
  });

  it('A key with a NUL in its id or label works like others', async () => {
    await expect(here.keys.revoke('a\0b')).rejects.toMatchObject({ code: 'key-not-found' });
    const key = await here.keys.add({ label: 'a\0b', owner: 'cli', hash: 'nul' }, 9);
    expect(key.label).toBe('a\ufffdb');
  });
});

describe('while Postgres is away', () => {
  it('known keys are accepted for a day more, others get no verdict', async () => {
    const [known, unknown] = [await makeKey(), await makeKey()];
    expect(await isLive(known.hash)).toBe(true);
    later(4);
    expect(await isLive(known.hash)).toBe(true);
    await cluster.kill();
    later(24 * 3_600);
    expect(await isLive(known.hash)).toBe(true);
    await expect(isLive(unknown.hash)).rejects.toThrow(RetryableError);
    later(1);
    await expect(isLive(known.hash)).rejects.toThrow(RetryableError);
    await cluster.start();
    await vi.waitFor(async () => expect(await isLive(known.hash)).toBe(true), WAIT);
    expect(await isLive(unknown.hash)).toBe(true);
  });

  it('a key whose revocation may have been committed is refused', async () => {
    const { id, hash } = await makeKey();
    const other = await makeKey();
    expect([await isLive(hash), await isLive(other.hash)]).toEqual([true, true]);
    await cluster.kill();
    await expect(here.keys.revoke(id)).rejects.toThrow(RetryableError);
    await expect(isLive(hash)).rejects.toThrow(RetryableError);
    expect(await isLive(other.hash)).toBe(true);
    await cluster.start();
  });

  it('no known key waits for a frozen server', async () => {
    const store = openOperations(url, IN_EARNEST);
    onTestFinished(() => store.db.close());
    const [first, second] = [await makeKey(), await makeKey()];
    for (const { hash } of [first, second]) {
      await vi.waitFor(async () => expect(await isLive(hash, store)).toBe(true), WAIT);
    }
    later(6);
    cluster.freeze();
    const unknown = isLive('unknown', store).catch(() => 'gave up');
    expect(await Promise.race([isLive(first.hash, store), unknown])).toBe(true);
    // By now the database is known to be down, so known keys are answered from memory at once.
    expect(store.keys.findByHash(second.hash)).toMatchObject({ id: second.id });
    cluster.thaw();
    later(2);
    await elsewhere.keys.revoke(first.id);
    later(5);
    await vi.waitFor(async () => expect(await isLive(first.hash, store)).toBe(false), WAIT);
  });
});
