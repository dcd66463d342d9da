import { expect, it, onTestFinished, vi } from 'vitest';
import { patienceMs } from '../support/patience.ts';
import { type ServedHere, serveHere } from '../support/serve-here.ts';
import { startService } from '../support/service.ts';

async function serve(env: Record<string, string>): Promise<ServedHere> {
  const service = await serveHere(env);
  onTestFinished(() => service.stop());
  return service;
}

async function answerOf(service: ServedHere, path: string) {
  const response = await fetch(service.url + path);
  return { status: response.status, body: await response.text(), headers: response.headers };
}

/** Its response, once the machine wasn't too busy for a timely one. */
async function settledAnswerOf(service: ServedHere, path: string) {
  return await vi.waitFor(
    async () => {
      const answer = await answerOf(service, path);
      if (answer.status === 503) throw new Error(`${path}: ${answer.body}`);
      return answer;
    },
    { timeout: patienceMs(), interval: 500 },
  );
}

it('The service answers byte for byte like the other instance with nothing but UPSTREAM_URL', async () => {
  const above = await serve({});
  const below = await serve({ UPSTREAM_URL: above.url });
  const list = await answerOf(above, '/v1/leaderboard?limit=500');
  const addresses = (JSON.parse(list.body).leaderboard as { address: string }[])
    .map((each) => each.address)
    // Each path is requested twice there, by an address with a limit of a hundred, a fifth of it for chats.
    .slice(0, 8);
  const paths = [
    '/v1/stats/global',
    '/v1/leaderboard?limit=500',
    '/v1/leaderboard?chain=sol&offset=3&limit=7',
    '/v1/leaderboard?offset=999999',
    '/v1/reputation/0x52908400098527886E0F7030069857D2E4169EE7',
    ...addresses.flatMap((address) => [
      `/v1/reputation/${address}`,
      `/v1/badges/${address}`,
      `/v1/activity/${address}?limit=3`,
    ]),
  ];
  for (const path of paths) {
    const own = await answerOf(above, path);
    // Once from the upstream, once from the cache.
    for (const answer of [await settledAnswerOf(below, path), await settledAnswerOf(below, path)]) {
      if (own.status !== 200) expect(answer.status).toBe(own.status);
      else expect([answer.status, answer.body]).toEqual([own.status, own.body]);
      expect(answer.headers.get('reputation-status')).toBe('fresh');
    }
    expect(own.headers.get('age')).toBe('0');
  }
});

it('The service waits briefly for a frozen instance, and uses it again when it thaws', async () => {
  const above = await startService();
  onTestFinished(async () => {
    above.child.kill('SIGCONT');
    await above.stop();
  });
  const below = await serve({ UPSTREAM_URL: `${above.url}/v1` });
  const list = await settledAnswerOf(below, '/v1/leaderboard?limit=10');
  const [known, unknown] = JSON.parse(list.body).leaderboard as { address: string }[];
  const kept = await settledAnswerOf(below, `/v1/reputation/${known?.address}`);
  above.child.kill('SIGSTOP');

  const began = performance.now();
  const refused = await answerOf(below, `/v1/reputation/${unknown?.address}`);
  expect(performance.now() - began).toBeLessThan(30_000);
  expect([refused.status, JSON.parse(refused.body).code]).toEqual([503, 'data-unavailable']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await answerOf(below, `/v1/reputation/${known?.address}`)).body).toBe(kept.body);
  const ready = JSON.parse((await answerOf(below, '/readyz')).body);
  expect(ready.checks.upstream.ok).toBe(false);

  above.child.kill('SIGCONT');
  await vi.waitFor(
    async () => {
      expect((await answerOf(below, `/v1/reputation/${unknown?.address}`)).status).toBe(200);
    },
    { timeout: patienceMs(), interval: 500 },
  );
  await below.stop();
});

it('The service refuses a key without an upstream, and an invalid address', async () => {
  await expect(serveHere({ UPSTREAM_API_KEY: 'abc' })).rejects.toThrow(/UPSTREAM_API_KEY/);
  await expect(serveHere({ UPSTREAM_URL: 'ftp://x' })).rejects.toThrow(/UPSTREAM_URL/);
});
