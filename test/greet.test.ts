import { expect, it, onTestFinished } from 'vitest';
import { greet } from '#app/main';
import type { Logger } from '#base/log';
import { openQuietly } from './support/filled-store.ts';
import { batchOf, ETH_A, eventOf, writeTo } from './support/ledger.ts';
import { silentLog } from './support/log.ts';

it('The greeting calls a database empty that has neither activities nor events', async () => {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(() => store.close());
  const warned = async (rulesPath?: string) => {
    const said: string[] = [];
    const log: Logger = { ...silentLog, warn: (_, message) => void said.push(message) };
    const config = { misspelt: [], demo: false, rulesPath, upstream: undefined };
    await greet(config, { store }, 'http://localhost:1', log);
    return said;
  };
  expect(await warned()).toEqual([expect.stringContaining('the database is empty')]);
  // Rules may read chains, without any import.
  expect(await warned('rules.yaml')).toEqual([
    expect.stringContaining('the database is empty: scores appear once chains'),
  ]);
  await writeTo(store, batchOf({ events: [eventOf(ETH_A, 'w1')] }));
  // Events without rules are worth nothing, which nobody would find out otherwise.
  expect(await warned()).toEqual([expect.stringContaining('RULES')]);
  expect(await warned('rules.yaml')).toEqual([]);
});

it('The greeting says that demo data has its own rules, so RULES is ignored', async () => {
  const store = await openQuietly('sqlite::memory:');
  onTestFinished(() => store.close());
  const warned = async (rulesPath?: string) => {
    const said: string[] = [];
    const log: Logger = { ...silentLog, warn: (_, message) => void said.push(message) };
    const config = { misspelt: [], demo: true, rulesPath, upstream: undefined };
    await greet(config, { store }, 'http://localhost:1', log);
    return said.filter((text) => text.startsWith('RULES is ignored'));
  };
  expect(await warned()).toEqual([]);
  expect(await warned('rules.yaml')).toHaveLength(1);
});
