import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { LeaderboardPage } from '#reputation/api-records';
import { startService } from '../support/service.ts';

it('The renderer refuses pictures that wait when it stops, rather than draw them all first', async () => {
  const service = await startService();
  const board = await fetch(`${service.url}/v1/leaderboard?limit=60`);
  const { leaderboard } = (await board.json()) as LeaderboardPage;
  const cards = leaderboard.map(({ address }) => fetch(`${service.url}/card/${address}.png`));
  // The others wait for the one thread that draws.
  await Promise.race(cards);
  service.child.kill('SIGTERM');
  const answers = await Promise.all(cards);
  const refused = answers.filter(({ status }) => status === 503);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 200).length + refused.length).toBe(60);
  for (const { headers } of refused) expect(headers.get('retry-after')).toMatch(/^\d+$/);
  if (service.child.exitCode === null) await once(service.child, 'exit');
  expect(service.child.exitCode).toBe(0);
  // One line, however many there were.
  expect(service.output().match(/the data is unavailable/g)).toHaveLength(1);
});
