import { expect, it } from 'vitest';
import { KeyedQueue } from '#platforms/role-connections/linked-role-sync';

/** A job that ends on request. */
function held(log: string[], name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const job = async () => {
    log.push(`${name} begins`);
    await promise;
    log.push(`${name} ends`);
    return name;
  };
  return { job, end: resolve };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('A queue runs a few jobs concurrently, and those with the same key one by one', async () => {
  const log: string[] = [];
  const queue = new KeyedQueue(2);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => held(log, name)) as [
    ReturnType<typeof held>,
    ReturnType<typeof held>,
    ReturnType<typeof held>,
  ];
  const first = queue.add('x', a.job);
  const second = queue.add('x', b.job);
  const third = queue.add('y', c.job);
  expect(log).toEqual(['a begins', 'c begins']);
  expect(queue.waiting).toBe(1);
  c.end();
  expect(await third).toBe('c');
  await settle();
  expect(log).toEqual(['a begins', 'c begins', 'c ends']);
  a.end();
  expect(await first).toBe('a');
  await settle();
  expect(log.slice(3)).toEqual(['a ends', 'b begins']);
  b.end();
  expect(await second).toBe('b');
});

it('A queue prefers jobs that somebody waits for', async () => {
  const log: string[] = [];
  const queue = new KeyedQueue(1);
  const running = held(log, 'running');
  void queue.add('1', running.job);
  const note = (name: string) => async () => void log.push(name);
  const all = [
    queue.add('2', note('later')),
    queue.add('3', note('urgent'), true),
    queue.add('4', note('last')),
  ];
  running.end();
  await Promise.all(all);
  expect(log.slice(2)).toEqual(['urgent', 'later', 'last']);
});

it('A queue continues after a job that fails, and rejects its caller', async () => {
  const queue = new KeyedQueue(1);
  const failed = queue.add('1', async () => {
    throw new Error('no');
  });
  const next = queue.add('1', async () => 'yes');
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

it('A queue is idle when nothing is left to do', async () => {
  const log: string[] = [];
  const queue = new KeyedQueue(1);
  await queue.idle();
  const job = held(log, 'job');
  void queue.add('1', job.job);
  void queue.add('1', async () => void log.push('next'));
  const idle = queue.idle().then(() => log.push('idle'));
  job.end();
  await idle;
  expect(log).toEqual(['job begins', 'job ends', 'next', 'idle']);
});
