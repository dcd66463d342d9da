import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { UserError } from '#base/errors';
import type { RateCounterMaker } from '#base/rate-window';
import { Challenger } from '#linking/challenge/challenger';
import { Linking } from '#linking/linking';
import { linkStore } from '../../support/linking.ts';
import { silentLog } from '../../support/log.ts';
import { openPlayground } from '../../support/playground.ts';
import { missingRedis, type RedisServer, startRedis } from '../../support/redis.ts';
import { openReplica } from '../../support/redis-shared-state.ts';

const words = missingRedis ?? 'what else replicas count together';
describe.skipIf(missingRedis !== undefined)(words, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  async function twoMakers(): Promise<readonly [RateCounterMaker, RateCounterMaker]> {
    return [(await openReplica(redis)).windows, (await openReplica(redis)).windows];
  }

  it("limits the page's queries, separately from its suggestions", async () => {
    const makers = await twoMakers();
    const [one, other] = await Promise.all(
      makers.map(async (counters) => {
        const service = await openPlayground({ counters, asksAMinute: 3 });
        onTestFinished(() => service.close());
        return service;
      }),
    );
    const post = async (url = '', path = 'ask') => {
      const body = { caller: '0123456789abcdef'.repeat(2), language: 'en', text: '/top' };
      const answer = await fetch(`${url}/playground/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      return answer.status;
    };
    for (const service of [one, other, one]) expect(await post(service?.url)).toBe(200);
    for (const service of [one, other]) expect(await post(service?.url)).toBe(429);
    expect(await post(other?.url, 'suggest')).toBe(200);
  });

  it("limits an account's attempts to link a wallet", async () => {
    const store = linkStore();
    const makers = await twoMakers();
    const base = {
      store,
      random: randomBytes,
      hash: (text: string) => text,
      now: () => 1_765_809_000,
      pageUrl: () => 'https://rep.example.org/link',
      monotonic: () => performance.now(),
      readsVaults: false,
    };
    const challenger = new Challenger({
      ...base,
      wallets: { parse: refuse, hasForm: refuse },
      platforms: [],
      provers: refuse,
      log: silentLog,
    });
    const deaf = { onChange: () => undefined, onUnchecked: () => undefined };
    const [one, other] = makers.map(
      (counters) => new Linking({ ...base, ...deaf, challenger, counters }),
    );
    const alice = { platform: 'discord', id: '1' } as const;
    for (let i = 0; i < 15; i += 1) {
      await one?.begin(alice);
      await other?.begin(alice);
    }
    for (const linking of [one, other]) {
      await expect(linking?.begin(alice)).rejects.toThrow(UserError);
    }
    await expect(one?.begin({ ...alice, id: '2' })).resolves.toBeDefined();
  });
});

function refuse(): never {
  throw new Error('nothing is to be proved here');
}
