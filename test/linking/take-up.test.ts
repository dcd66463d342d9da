import { expect, it, vi } from 'vitest';
import type { LinkRequest } from '#linking/challenge/requests';
import { takeUp } from '#linking/late-outcomes';
import type { RequestKey } from '#linking/proving/proof-retries';

it('An outcome that can’t be delivered doesn’t hold up the others', async () => {
  const accounts = ['1', '2'].map((id) => ({ platform: 'telegram', id }) as const);
  const told: string[] = [];
  const error = vi.fn();
  await takeUp({
    store: {
      unfinishedRequests: async () =>
        accounts.map((account) => ({ account, way: 'chat' }) as LinkRequest),
    },
    now: () => 0,
    retries: { add: () => undefined },
    late: {
      async settled({ account }: RequestKey) {
        if (account.id === '1') throw new TypeError('an answer of an unknown shape');
        told.push(account.id);
      },
    },
    log: { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error },
  });
  expect(told).toEqual(['2']);
  expect(error).toHaveBeenCalledOnce();
});
