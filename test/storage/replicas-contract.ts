import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BEAT_SECONDS, DEAD_AFTER_SECONDS, type WorkStore } from '#cluster/store';

export interface WorkUnderTest {
  /** An empty store. */
  open(): Promise<WorkStore>;
  /** Lets time pass on the store's clock. */
  pass(seconds: number): Promise<void>;
  clean(): Promise<void>;
}

/** Which replicas are alive or dead, and who may declare it. */
export function replicasContract(name: string, under: WorkUnderTest): void {
  describe(`${name} keeps the contract of replicas`, () => {
    let work: WorkStore;

    beforeEach(async () => {
      work = await under.open();
    });
    afterEach(() => under.clean());

    /** Lets time pass, during which these replicas send heartbeats. */
    async function live(seconds: number, ...replicas: string[]): Promise<void> {
      for (let at = 0; at < seconds; at += BEAT_SECONDS) {
        await under.pass(BEAT_SECONDS);
        for (const each of replicas) await work.beat(each);
      }
    }
    async function come(...replicas: string[]): Promise<void> {
      for (const each of replicas) await work.beat(each);
    }

    it('what a dead replica held is free after a while, and not before', async () => {
      await come('a', 'b');
      await work.plan('sweep', ['x']);
      await live(2 * DEAD_AFTER_SECONDS, 'a', 'b');
      await work.hold('one', 'a');
      await work.takeDue('sweep', 'a');
      await work.beat('a', ['storm']);
      await live(DEAD_AFTER_SECONDS / 2, 'b');
      expect(await work.hold('one', 'b')).toBe(false);
      expect(await work.takeDue('sweep', 'b')).toBeUndefined();
      expect((await work.beat('b')).notices).toEqual(['storm']);
      await live(DEAD_AFTER_SECONDS, 'b');
      expect(await work.hold('one', 'b')).toBe(true);
      expect(await work.takeDue('sweep', 'b')).toMatchObject({ name: 'x' });
      expect(await work.beat('b')).toMatchObject({ claims: ['one'], peers: [], notices: [] });
      // It was alive after all, and finds that it has nothing any more.
      expect(await work.beat('a')).toEqual({
        ...{ at: expect.any(Number), claims: [], work: [], peers: ['b'], notices: [] },
      });
    });

    it('all replicas hear the same clock', async () => {
      const { at } = await work.beat('a');
      const later = await work.beat('b');
      expect(later.at).toBeGreaterThanOrEqual(at);
      expect((await work.beat('a')).at).toBeGreaterThanOrEqual(later.at);
    });

    it('a replica that has just started takes nothing from the dead', async () => {
      await come('a');
      await work.hold('one', 'a');
      await under.pass(3 * DEAD_AFTER_SECONDS);
      await work.beat('b');
      expect(await work.hold('one', 'b')).toBe(false);
      await live(DEAD_AFTER_SECONDS / 2, 'b');
      expect(await work.hold('one', 'b')).toBe(false);
      await live(DEAD_AFTER_SECONDS, 'b');
      expect(await work.hold('one', 'b')).toBe(true);
    });

    it.each([3, 5, 7, 600])(
      'nobody loses anything if all are silent for %i seconds more',
      async (seconds) => {
        await come('a', 'b');
        await live(2 * DEAD_AFTER_SECONDS, 'a', 'b');
        await work.hold('one', 'a');
        // Their heartbeats aren't synchronized, so one is always silent for longer.
        await work.beat('a');
        await under.pass(BEAT_SECONDS);
        await work.beat('b');
        await under.pass(seconds);
        await work.beat('b');
        expect(await work.hold('one', 'b')).toBe(false);
        expect(await work.beat('a')).toEqual({
          ...{ at: expect.any(Number), claims: ['one'], work: [], peers: ['b'], notices: [] },
        });
        await live(2 * DEAD_AFTER_SECONDS, 'b', 'a');
        expect(await work.hold('one', 'b')).toBe(false);
        expect(await work.hold('one', 'a')).toBe(true);
      },
    );
  });
}
