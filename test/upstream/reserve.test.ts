import { expect, it } from 'vitest';
import type { Urgency } from '#reputation/reputation-source';
import { askRaw, testApi } from '../support/api.ts';
import { addressOf } from '../support/import-lines.ts';
import {
  fakeUpstream,
  RECORD,
  saying,
  type TestUpstream,
  upstreamAt,
} from '../support/upstream.ts';

/** The upstream's limit without a key, and the share reserved for the chats. */
const LIMIT = 100;
const RESERVE = 20;

let wallets = 0;
/** Reads this many wallets that weren't read before. @returns how many were answered */
async function ask({ source }: TestUpstream, urgency: Urgency, count: number): Promise<number> {
  const reading = source.reading(urgency);
  const asked = Array.from({ length: count }, async () => {
    wallets += 1;
    return reading.reputation({ chain: 'ethereum', address: addressOf('ethereum', wallets) });
  });
  const outcomes = await Promise.allSettled(asked);
  return outcomes.filter(({ status }) => status === 'fulfilled').length;
}

it.each(['visitor', 'background'] as const)(
  'The reserve leaves a fifth of the limit to the chats during a %s',
  async (urgency) => {
    const fake = await fakeUpstream(saying(RECORD));
    const upstream = upstreamAt(fake.url);
    expect(await ask(upstream, urgency, LIMIT)).toBe(LIMIT - RESERVE);
    expect(await ask(upstream, 'interactive', LIMIT)).toBe(RESERVE);
    upstream.advance(61);
    // The chats may use all of it; then nothing is left.
    expect(await ask(upstream, 'interactive', LIMIT)).toBe(LIMIT);
    expect(await ask(upstream, urgency, 1)).toBe(0);
    expect(fake.asked).toHaveLength(2 * LIMIT);
  },
);

it("The reserve reserves each replica's share", async () => {
  const fake = await fakeUpstream(saying(RECORD));
  const upstream = upstreamAt(fake.url, { replicas: () => 4 });
  expect(await ask(upstream, 'visitor', LIMIT)).toBe((LIMIT - RESERVE) / 4);
});

it('The reserve reserves a fifth of what the upstream says is left', async () => {
  const fake = await fakeUpstream(saying(RECORD, { RateLimit: '"public";r=19;t=30' }));
  const upstream = upstreamAt(fake.url);
  expect(await ask(upstream, 'visitor', 1)).toBe(1);
  expect(await ask(upstream, 'visitor', 1)).toBe(0);
  expect(await ask(upstream, 'interactive', 1)).toBe(1);
});

it("The reserve sends a visitor's waiting request immediately if a chat wants it", async () => {
  const fake = await fakeUpstream(saying(RECORD));
  const upstream = upstreamAt(fake.url);
  const wallet = { chain: 'ethereum', address: addressOf('ethereum', 999_999) } as const;
  expect(await ask(upstream, 'visitor', LIMIT - RESERVE)).toBe(LIMIT - RESERVE);
  // So that waiting is worth it.
  upstream.advance(58);
  const visitor = upstream.source.reading('visitor').reputation(wallet);
  const member = upstream.source.reading('interactive').reputation(wallet);
  expect(await member).toMatchObject({ score: RECORD.score });
  expect(await visitor).toMatchObject({ score: RECORD.score });
  expect(fake.asked).toHaveLength(LIMIT - RESERVE + 1);
});

it('The reserve treats callers of the API as visitors', async () => {
  const fake = await fakeUpstream(saying({ ...RECORD, chain: 'ethereum' }));
  const upstream = upstreamAt(fake.url);
  const api = await testApi({ source: upstream.source });
  let answered = 0;
  for (let i = 0; i < LIMIT; i += 1) {
    const path = `/v1/reputation/${addressOf('ethereum', 500_000 + i)}`;
    const { status } = await askRaw(
      api,
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    if (status !== 503) answered += 1;
  }
  expect(answered).toBe(LIMIT - RESERVE);
  expect(await ask(upstream, 'interactive', 1)).toBe(1);
});
