import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { partId, type WorkStore } from '#cluster/store';
import type { Store } from '#storage/store';
import type { StoreUnderTest } from './contract.ts';

/** How every store makes sure that work is done once. */
export function workContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of work`, () => {
    let store: Store;
    let work: WorkStore;

    beforeEach(async () => {
      store = await under.open();
      work = store.work;
      await work.beat('a');
      await work.beat('b');
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    const namesTaken = async (kind: string, replica: string) => {
      const names: string[] = [];
      for (let due = await work.takeDue(kind, replica); due !== undefined; ) {
        names.push(due.name);
        due = await work.takeDue(kind, replica);
      }
      return names;
    };

    it('a replica learns who is alive and what it holds', async () => {
      const { peers, at, ...nothing } = await work.beat('c');
      expect(at).toBeGreaterThan(0);
      expect(nothing).toEqual({ claims: [], work: [], notices: [] });
      expect(new Set(peers)).toEqual(new Set(['a', 'b']));
      await work.hold('one', 'c');
      await work.hold('two', 'c');
      await work.hold('three', 'a');
      const { claims } = await work.beat('c');
      expect(new Set(claims)).toEqual(new Set(['one', 'two']));
      expect(claims).toHaveLength(2);
      await work.release('one', 'c');
      expect(await work.beat('c')).toMatchObject({ claims: ['two'], work: [] });
      await work.leave('a');
      const left = { claims: ['two'], work: [], peers: ['b'], notices: [] };
      expect(await work.beat('c')).toEqual({ at: expect.any(Number), ...left });
    });

    it("a replica learns what others' heartbeats say, until they leave", async () => {
      await work.beat('a', ['storm', 'fog']);
      await work.beat('b', ['fog']);
      const told = async (replica: string) => new Set((await work.beat(replica)).notices);
      expect(await told('c')).toEqual(new Set(['storm', 'fog']));
      expect((await work.beat('a', ['storm'])).notices).toEqual(['fog']);
      expect(await told('b')).toEqual(new Set(['storm']));
      expect(await told('c')).toEqual(new Set(['storm']));
      await work.leave('a');
      expect(await told('c')).toEqual(new Set());
    });

    it("a replica's part holds claims of its own, and is nobody's peer", async () => {
      const part = partId('a', 'reading');
      await work.beat(part, ['storm']);
      expect(await work.hold('one', part)).toBe(true);
      expect(await work.hold('one', 'a')).toBe(false);
      expect(await work.beat('b')).toMatchObject({ peers: ['a'], notices: [] });
      expect(await work.beat('a')).toMatchObject({ claims: [], peers: ['b'], notices: [] });
      await work.beat('a', ['fog']);
      await work.beat('b', ['storm']);
      // Its peers are the other replicas, not the one that it's a part of.
      expect(await work.beat(part)).toMatchObject({
        ...{ claims: ['one'], peers: ['b'], notices: ['storm'] },
      });
      await work.beat('b');
      await work.leave('a');
      expect(await work.hold('one', 'b')).toBe(false);
      await work.leave(part);
      expect(await work.hold('one', 'b')).toBe(true);
    });

    it("a claim belongs to one replica until it's released", async () => {
      expect(await work.hold('one', 'a')).toBe(true);
      expect(await work.hold('one', 'b')).toBe(false);
      expect(await work.hold('one', 'a')).toBe(true);
      expect(await work.hold('two', 'b')).toBe(true);
      await work.release('one', 'b');
      expect(await work.hold('one', 'b')).toBe(false);
      await work.release('one', 'a');
      expect(await work.hold('one', 'b')).toBe(true);
    });

    it('what a replica held is free as soon as it leaves', async () => {
      await work.plan('sweep', ['x']);
      await work.hold('one', 'a');
      await work.hold('two', 'a');
      expect(await namesTaken('sweep', 'a')).toEqual(['x']);
      await work.leave('a');
      expect(await work.hold('one', 'b')).toBe(true);
      expect(await namesTaken('sweep', 'b')).toEqual(['x']);
    });

    it('an unknown replica gets nothing until its first heartbeat', async () => {
      await work.plan('sweep', ['x']);
      expect(await work.hold('one', 'stranger')).toBe(false);
      expect(await work.takeDue('sweep', 'stranger')).toBeUndefined();
      await work.leave('a');
      expect(await work.hold('one', 'a')).toBe(false);
      await work.beat('a');
      expect(await work.hold('one', 'a')).toBe(true);
      expect(await namesTaken('sweep', 'a')).toEqual(['x']);
    });

    it('a planned work item is due at once, for one replica', async () => {
      await work.plan('sweep', ['x', 'y']);
      expect(await namesTaken('sweep', 'a')).toEqual(['x', 'y']);
      expect(await namesTaken('sweep', 'b')).toEqual([]);
      await work.plan('sweep', ['x', 'y', 'z']);
      expect(await namesTaken('sweep', 'b')).toEqual(['z']);
    });

    it('kinds of work are independent', async () => {
      await work.plan('sweep', ['x']);
      await work.plan('links', ['x']);
      expect(await namesTaken('links', 'a')).toEqual(['x']);
      expect(await work.takeDue('sweep', 'b')).toEqual({ kind: 'sweep', name: 'x', state: '' });
      expect(await work.takeDue('other', 'b')).toBeUndefined();
      expect(await work.beat('b')).toMatchObject({
        work: [{ kind: 'sweep', name: 'x', state: '' }],
      });
    });

    it('finished work is due again when it says so, with its note', async () => {
      await work.plan('sweep', ['x', 'y']);
      await namesTaken('sweep', 'a');
      await work.finish({ kind: 'sweep', name: 'x' }, 'a', 0, '{"n":1}');
      await work.finish({ kind: 'sweep', name: 'y' }, 'a', 3_600, 'later');
      expect(await work.takeDue('sweep', 'b')).toEqual({
        kind: 'sweep',
        name: 'x',
        state: '{"n":1}',
      });
      expect(await work.takeDue('sweep', 'b')).toBeUndefined();
      // Planning it again neither makes it due nor forgets what was recorded.
      await work.plan('sweep', ['x', 'y']);
      expect(await work.takeDue('sweep', 'b')).toBeUndefined();
    });

    it("a replica that lost a work item can't finish it", async () => {
      await work.plan('sweep', ['x']);
      await work.takeDue('sweep', 'a');
      await work.leave('a');
      await work.takeDue('sweep', 'b');
      await work.finish({ kind: 'sweep', name: 'x' }, 'a', 0, 'of a');
      expect(await work.takeDue('sweep', 'b')).toBeUndefined();
      await work.finish({ kind: 'sweep', name: 'x' }, 'b', 0, 'of b');
      expect(await work.takeDue('sweep', 'b')).toMatchObject({ state: 'of b' });
    });

    it('what has been due longest comes first', async () => {
      await work.plan('sweep', ['x', 'y']);
      await work.takeDue('sweep', 'a');
      // Clocks may show the same time for up to a millisecond.
      await sleep(5);
      await work.finish({ kind: 'sweep', name: 'x' }, 'a', 0, '');
      expect(await namesTaken('sweep', 'b')).toEqual(['y', 'x']);
    });

    it("a work item that's no longer planned is forgotten, unless it's in progress", async () => {
      await work.plan('sweep', ['x', 'y']);
      expect(await work.takeDue('sweep', 'a')).toMatchObject({ name: 'x' });
      await work.plan('sweep', []);
      expect(await work.takeDue('sweep', 'b')).toBeUndefined();
      await work.finish({ kind: 'sweep', name: 'x' }, 'a', 0, 'kept');
      expect(await work.takeDue('sweep', 'b')).toMatchObject({ name: 'x', state: 'kept' });
      await work.finish({ kind: 'sweep', name: 'x' }, 'b', 0, '');
      await work.plan('sweep', []);
      expect(await work.takeDue('sweep', 'b')).toBeUndefined();
    });
  });
}
