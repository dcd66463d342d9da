import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { InboxStore } from '#cluster/inbox';
import { DEAD_AFTER_SECONDS, type WorkStore } from '#cluster/store';
import { type Database, openDatabase } from '#storage/postgres/database';
import { createInboxStore, createWorkStore, type WorkOptions } from '#storage/postgres/work';
import { type Cluster, startCluster } from '../../bench/servers/postgres/cluster.ts';
import { silentLog } from '../support/log.ts';
import { createMigratedDatabase } from '../support/postgres/migrated.ts';
import { PATIENT } from '../support/postgres/operations.ts';
import { replicasContract } from './replicas-contract.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

const opened: Database[] = [];
afterEach(async () => {
  for (const db of opened.splice(0)) await db.close();
});

function connect(url: string): Database {
  const db = openDatabase(url, silentLog, PATIENT);
  opened.push(db);
  return db;
}

let current: Database;
/** Real time that passes meanwhile is negligible. */
const SCALE = 1_000;
replicasContract('Postgres', {
  async open() {
    current = connect(await createMigratedDatabase(cluster));
    return createWorkStore(current, { deadAfterSeconds: DEAD_AFTER_SECONDS * SCALE });
  },
  // No one has to wait: everything is moved into the past.
  async pass(seconds) {
    await current.run(
      `UPDATE replica SET seen_at = seen_at - make_interval(secs => $1),
         steady_since = steady_since - make_interval(secs => $1)`,
      [seconds * SCALE],
    );
  },
  clean: async () => undefined,
});

describe('replicas whose Postgres has its clock set', () => {
  const HOUR = 3_600;
  let db: Database;
  let work: WorkStore;
  let inbox: InboxStore;
  beforeEach(async () => {
    db = connect(await createMigratedDatabase(cluster));
    work = createWorkStore(db);
    inbox = createInboxStore(db);
    await work.beat('a');
    await work.beat('b');
  });

  /** What the store has dated is then that much later than its clock. */
  async function setBack(seconds: number): Promise<void> {
    const move = (column: string) => `${column} = ${column} + make_interval(secs => $1)`;
    const columns = { replica: ['seen_at', 'steady_since'], work: ['due_at'] };
    for (const [table, names] of Object.entries(columns))
      await db.run(`UPDATE ${table} SET ${names.map(move).join(', ')}`, [seconds]);
    await db.run(`UPDATE delivery SET ${move('received_at')}, ${move('settled_at')}`, [seconds]);
  }
  /** As if `b` had been steady for long. */
  const steady = () =>
    db.run(`UPDATE replica SET steady_since = steady_since - interval '1 hour' WHERE id = 'b'`, []);

  it('set back, a replica that died before frees what it held all the same', async () => {
    await work.hold('one', 'a');
    await setBack(HOUR);
    // Right after it, nobody is taken for dead.
    await work.beat('b');
    expect(await work.hold('one', 'b')).toBe(false);
    await steady();
    expect((await work.beat('b')).peers).toEqual([]);
    expect(await work.hold('one', 'b')).toBe(true);
  });

  it('set back, a replica that lives loses nothing', async () => {
    await work.hold('one', 'a');
    await setBack(HOUR);
    await work.beat('a');
    await work.beat('b');
    await steady();
    expect((await work.beat('b')).peers).toEqual(['a']);
    expect(await work.hold('one', 'b')).toBe(false);
    expect((await work.beat('a')).claims).toEqual(['one']);
  });

  it('set back, finished work is due as soon as if the clock had run on', async () => {
    await work.plan('sweep', ['x']);
    const due = await work.takeDue('sweep', 'a');
    if (due === undefined) throw new Error('nothing is due');
    await work.finish(due, 'a', 120, 'noted');
    expect(await work.takeDue('sweep', 'b')).toBeUndefined();
    await setBack(HOUR);
    expect(await work.takeDue('sweep', 'b')).toMatchObject({ name: 'x', state: 'noted' });
  });

  it('set forward, a delivery that waits is not forgotten', async () => {
    await inbox.receive({ platform: 'telegram', id: '1', body: '{}' }, 'a');
    await inbox.receive({ platform: 'telegram', id: '2', body: '{}' }, 'a');
    await inbox.settle('telegram', '2');
    await setBack(-48 * HOUR);
    await work.leave('a');
    const [taken] = await inbox.takeOver('telegram', 'b', 10);
    expect(taken?.id).toBe('1');
    // An answered one is.
    expect(await inbox.receive({ platform: 'telegram', id: '2', body: '{}' }, 'b')).toBe(true);
  });
});

describe('many replicas on one Postgres', () => {
  const REPLICAS = ['a', 'b', 'c', 'd', 'e', 'f'];

  /** One store per replica, each with its own connections. */
  async function openMany(options: WorkOptions = {}) {
    const url = await createMigratedDatabase(cluster);
    return REPLICAS.map((replica) => {
      const db = connect(url);
      return { replica, db, work: createWorkStore(db, options), inbox: createInboxStore(db) };
    });
  }

  it('each piece of work is taken once', async () => {
    const all = await openMany();
    const names = Array.from({ length: 120 }, (_, i) => `guild ${i}`);
    await Promise.all(
      all.map(async ({ work, replica }) => {
        await work.beat(replica);
        await work.plan('sweep', names);
      }),
    );
    const taken = await Promise.all(
      all.map(async ({ work, replica }) => {
        const mine: string[] = [];
        for (let due = await work.takeDue('sweep', replica); due !== undefined; ) {
          mine.push(due.name);
          await work.finish(due, replica, 3_600, '');
          due = await work.takeDue('sweep', replica);
        }
        return mine;
      }),
    );
    expect(taken.flat()).toHaveLength(names.length);
    expect(new Set(taken.flat())).toEqual(new Set(names));
  });

  it('one of concurrent claimants gets a claim', async () => {
    const all = await openMany();
    await Promise.all(all.map(({ work, replica }) => work.beat(replica)));
    for (let round = 0; round < 20; round += 1) {
      const got = await Promise.all(
        all.map(({ work, replica }) => work.hold(`claim ${round}`, replica)),
      );
      expect(got.filter((each) => each)).toHaveLength(1);
    }
  });

  it('each delivery is received once and taken over once', async () => {
    const all = await openMany();
    await Promise.all(all.map(({ work, replica }) => work.beat(replica)));
    const ids = Array.from({ length: 40 }, (_, i) => String(i));
    const received = await Promise.all(
      ids.flatMap((id) =>
        all.map(({ inbox, replica }) =>
          inbox.receive({ platform: 'discord', id, body: '{}' }, replica),
        ),
      ),
    );
    expect(received.filter((each) => each)).toHaveLength(ids.length);
    const [last, ...dead] = all.toReversed();
    for (const { work, replica } of dead) await work.leave(replica);
    for (const { work, replica } of dead) await work.beat(replica);
    const over = await Promise.all(
      dead.map(({ inbox, replica }) => inbox.takeOver('discord', replica, 100)),
    );
    if (last === undefined) throw new Error('there are no replicas');
    await last.work.leave(last.replica);
    const [other] = dead;
    const rest = (await other?.inbox.takeOver('discord', other.replica, 100)) ?? [];
    const taken = [...over.flat(), ...rest].map(({ id }) => id);
    expect(taken).toHaveLength(ids.length);
    expect(new Set(taken)).toEqual(new Set(ids));
  });

  it('a claim is never held by two replicas at once while they come and die', async () => {
    const DEAD_AFTER = 0.6;
    const all = await openMany({ deadAfterSeconds: DEAD_AFTER });
    const holders = new Set<string>();
    const seen: number[] = [];
    let silences = 0;
    await Promise.all(
      all.map(async ({ work, replica }, i) => {
        while (silences < 4) {
          const sent = performance.now();
          await work.beat(replica);
          const isHeld = await work.hold('one', replica);
          // An answer this late may be out of date; no replica acts on it.
          if (isHeld && performance.now() - sent < DEAD_AFTER * 1000) {
            holders.add(replica);
            seen.push(holders.size);
            await sleep(40);
            seen.push(holders.size);
            holders.delete(replica);
            // Half of them give it back; the others are silent for so long that they count as dead.
            if (i % 2 === 0) await work.release('one', replica);
            else {
              silences += 1;
              await sleep(4 * DEAD_AFTER * 1000);
            }
          }
          await sleep(30);
        }
      }),
    );
    expect(Math.max(...seen)).toBe(1);
  });

  it('nobody loses anything while the database is frozen', async () => {
    const DEAD_AFTER = 3;
    const all = await openMany({ deadAfterSeconds: DEAD_AFTER });
    const until = Date.now() + 11_000;
    const lost: string[] = [];
    let frozenMs = 0;
    const now = () => performance.now() - frozenMs;
    const beats = new Map<string, number>();
    /**
     * Replicas whose heartbeat was due around the freeze: the machine was busy, and they're rightly taken for
     * dead.
     */
    const late = new Set<string>();
    const lose = (replica: string) => {
      if (now() - (beats.get(replica) ?? 0) > DEAD_AFTER * 1000) late.add(replica);
      if (!late.has(replica)) lost.push(replica);
    };
    const live = Promise.all(
      all.map(async ({ work, replica }, i) => {
        await sleep(i * 30);
        beats.set(replica, now());
        await work.beat(replica);
        await work.hold(`of ${replica}`, replica);
        while (Date.now() < until) {
          await sleep((DEAD_AFTER * 1000) / 4);
          const sent = now();
          const { claims } = await work.beat(replica);
          if (!claims.includes(`of ${replica}`)) lose(replica);
          beats.set(replica, sent);
          // Everyone tries to take what belongs to another.
          for (const each of REPLICAS) {
            if (each !== replica && (await work.hold(`of ${each}`, replica))) lose(each);
          }
        }
      }),
    );
    const ended = live.catch((error: unknown) => error);
    await sleep(3_500);
    const frozenAt = performance.now();
    cluster.freeze();
    await sleep(4_000);
    cluster.thaw();
    frozenMs = performance.now() - frozenAt;
    expect(await ended).not.toBeInstanceOf(Error);
    expect(lost).toEqual([]);
  });

  it('what a killed database has committed is there when it returns', async () => {
    const [first, second] = await openMany();
    if (first === undefined || second === undefined) throw new Error('there are no replicas');
    await first.work.beat('a');
    await first.work.hold('one', 'a');
    await first.inbox.receive({ platform: 'telegram', id: '1', body: '{}' }, 'a');
    await cluster.kill();
    await expect(first.work.beat('a')).rejects.toThrow(/isn't responding/);
    await cluster.start();
    await second.work.beat('b');
    expect(await second.work.hold('one', 'b')).toBe(false);
    expect(await second.inbox.takeOver('telegram', 'b', 10)).toEqual([]);
    expect(await first.work.beat('a')).toEqual({
      ...{ at: expect.any(Number), claims: ['one'], work: [], peers: ['b'], notices: [] },
    });
  });
});
