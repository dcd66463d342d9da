import { expect, it, onTestFinished, vi } from 'vitest';
import { CaughtUp } from '#app/scoring/engine';
import { openQuietly } from './support/filled-store.ts';
import { ETH_A, eventOf } from './support/ledger.ts';
import { rulesText, ScoredStore, TODAY, workshop } from './support/scoring.ts';

async function begun() {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(async () => await store.close());
  const refresh = vi.fn(async () => undefined);
  const caughtUp = new CaughtUp(store.scoring, refresh);
  return { store, refresh, caughtUp, scored: new ScoredStore(store, TODAY) };
}

it('The service is partial until everything that was read is scored and shown', async () => {
  const { scored, refresh, caughtUp } = await begun();
  await scored.apply(rulesText([workshop]));
  await scored.add(eventOf(ETH_A, 'w1'));
  expect(await caughtUp.isPartial(true)).toBe(true);
  expect(await caughtUp.isPartial(false)).toBe(true);
  expect(refresh).not.toHaveBeenCalled();
  await scored.follow();
  expect(await caughtUp.isPartial(false)).toBe(false);
  expect(refresh).toHaveBeenCalledOnce();
  // What comes by and by is as new as it can be.
  await scored.add(eventOf(ETH_A, 'w2'));
  expect(await caughtUp.isPartial(false)).toBe(false);
  expect(await caughtUp.isPartial(true)).toBe(true);
  expect(await caughtUp.isPartial(false)).toBe(true);
});

it('The service lacks nothing without rules', async () => {
  const { caughtUp } = await begun();
  expect(await caughtUp.isPartial(true)).toBe(true);
  expect(await caughtUp.isPartial(false)).toBe(false);
});

it('The service is partial, and lets no fault through, as long as it can’t find out', async () => {
  const { store, scored, refresh, caughtUp } = await begun();
  await scored.apply(rulesText([workshop]));
  await caughtUp.isPartial(true);
  refresh.mockRejectedValueOnce(new Error('broken'));
  expect(await caughtUp.isPartial(false)).toBe(true);
  vi.spyOn(store.scoring, 'live').mockRejectedValueOnce(new Error('damaged'));
  expect(await caughtUp.isPartial(false)).toBe(true);
  expect(await caughtUp.isPartial(false)).toBe(false);
});
