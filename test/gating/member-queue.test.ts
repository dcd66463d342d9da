import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { MemberQueue } from '#gating/members/member-queue';
import { silentLog } from '../support/log.ts';

it('The queue of members has a task that is due in line once, however often it is asked for while another takes long', async () => {
  let now = 0;
  let asked = 0;
  const monotonic = () => {
    asked += 1;
    return now;
  };
  const { signal } = new AbortController();
  const queue = new MemberQueue({ log: silentLog, monotonic, signal });
  const done: string[] = [];
  let isAway = true;
  queue.add('failed', 'check', async () => {
    if (isAway) throw new RetryableError('away');
    done.push('failed');
  });
  await queue.idle();
  const long = Promise.withResolvers<void>();
  queue.add('long', 'check', () => long.promise);
  now = 10_000;
  for (let i = 0; i < 1_000; i++) queue.retry();
  isAway = false;
  asked = 0;
  long.resolve();
  await queue.idle();
  expect(done).toEqual(['failed']);
  expect(asked).toBeLessThan(10);
  expect(queue.isWaiting('failed')).toBe(false);
});

it('A check that fails again and again is in the log as it begins to fail and as it is given up', async () => {
  let now = 0;
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => void warned.push(message) };
  const { signal } = new AbortController();
  const queue = new MemberQueue({ log, monotonic: () => now, signal });
  let tries = 0;
  queue.add('one', 'check', async () => {
    tries += 1;
    throw new RetryableError('away');
  });
  await queue.idle();
  while (queue.isWaiting('one')) {
    now += 1_000_000;
    queue.retry();
    await queue.idle();
  }
  expect(tries).toBeGreaterThan(2);
  expect(warned).toHaveLength(2);
});

it('That a group has moved is taken in though a raid fills the queue, which the next pass cannot make up for', async () => {
  const { signal } = new AbortController();
  const queue = new MemberQueue({ log: silentLog, monotonic: () => 0, signal });
  const done: string[] = [];
  const long = Promise.withResolvers<void>();
  queue.add('long', 'check', () => long.promise);
  for (let i = 0; !queue.isFull; i++) queue.add(`raider ${i}`, 'joined', async () => undefined);
  for (const name of ['joined', 'moved'] as const) {
    queue.add('one', name, async () => void done.push(name));
  }
  long.resolve();
  await queue.idle();
  expect(done).toEqual(['moved']);
});

it('What an administrator decides is recorded while the platform leaves a check of somebody else unanswered', async () => {
  const { signal } = new AbortController();
  const queue = new MemberQueue({ log: silentLog, monotonic: () => 0, signal });
  const done: string[] = [];
  queue.add('long', 'check', () => new Promise(() => undefined));
  await Promise.all(
    (['removed', 'given'] as const).map((name) =>
      queue.record('one', name, async () => void done.push(name)),
    ),
  );
  expect(done).toEqual(['removed', 'given']);
});

it('What could not be recorded is not done before it is, nor is what was decided or waits after it', async () => {
  let now = 0;
  const { signal } = new AbortController();
  const queue = new MemberQueue({ log: silentLog, monotonic: () => now, signal });
  let isAway = true;
  const done: string[] = [];
  const unlessAway = (what: string) => async () => {
    if (isAway) throw new RetryableError('away');
    done.push(what);
  };
  queue.add('one', 'check', unlessAway('check'));
  await queue.idle();
  const removed = queue.record('one', 'removed', unlessAway('removed'));
  const given = queue.record('one', 'given', unlessAway('given'));
  void removed.then(() => done.push('is recorded'));
  await queue.idle();
  expect(done).toEqual([]);
  isAway = false;
  now = 1_000_000;
  queue.retry();
  await Promise.all([removed, given]);
  await queue.idle();
  expect(new Set(done)).toEqual(new Set(['given', 'is recorded', 'check', 'removed']));
  expect(done[0]).toBe('removed');
});
