import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { Links } from '#linking/links';
import type { LinkStore } from '#linking/store';
import { silentLog } from '../support/log.ts';

// Each command of a member asks for their wallets first.
it('Claims that wait for the store are said once, not with each command', async () => {
  const said: string[] = [];
  const store = {
    dueClaims: () => Promise.reject(new RetryableError('the store is away')),
    linksOf: async () => [],
  } as unknown as LinkStore;
  const links = new Links({
    store,
    log: { ...silentLog, warn: (_: unknown, text: string) => void said.push(text) },
    now: () => 1_800_000_000,
    elapsed: (from, to) => to - from,
    onChange: () => undefined,
    beforeErase: async () => undefined,
  });
  for (let i = 0; i < 5; i++) await links.walletsOf({ platform: 'discord', id: String(i) });
  expect(said).toEqual(['wallet claims are waiting for the store']);
});
