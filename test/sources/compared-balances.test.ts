import { expect, it } from 'vitest';
import { RetryableError } from '#base/errors';
import { untilPasses } from '../support/eventually.ts';
import { ETH_A, ETH_B } from '../support/ledger.ts';
import { silentLog } from '../support/log.ts';
import { HOLD, inputNamed, openReading, skipper } from '../support/reading.ts';

it('A source is far behind and fails while balances that give no points yet can’t be compared', async () => {
  const { chain, want, start, heights } = await openReading();
  const skip = skipper();
  want([HOLD]);
  chain.args = '{"amount":"1"}';
  let asked = 0;
  chain.balances = () => {
    asked += 1;
    throw new RetryableError('node.example took too long');
  };
  const reader = start(chain, { unreadMs: 100_000 });
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toBe(
    "Balances of eth can't be compared with the chain's, so rules about them give no points yet: node.example took too long",
  );
  // Blocks that are read meanwhile prove nothing about it.
  chain.head += 50;
  await untilPasses(async () => expect(await heights()).toEqual({ hold: 250 }));
  await untilPasses(() => expect(asked).toBeGreaterThan(2));
  expect([reader.isFarBehind, reader.health]).toEqual([true, undefined]);
  skip(100_000);
  expect(reader.health).toBe('fails');
  chain.balances = () => [BigInt(chain.head / 10)];
  await untilPasses(() => expect(reader.status().state).toBe('following'));
  await untilPasses(() => expect(reader.isFarBehind).toBe(false));
  expect([reader.status().words, reader.health]).toEqual([undefined, 'works']);
});

it('A source goes on, and says once, while balances that were right can’t be compared again', async () => {
  const { store, chain, want, start } = await openReading();
  const skip = skipper();
  want([HOLD, inputNamed('a', 1)]);
  chain.args = '{"amount":"1"}';
  chain.balances = () => [BigInt(chain.head / 10)];
  const warnings: string[] = [];
  const warn = (_: unknown, message: string) => void warnings.push(message);
  const log = { ...silentLog, warn };
  const reader = start(chain, { compareAgainMs: 5, unreadMs: 0, log });
  const verdictOn = async (input: string) =>
    (await store.evidence.inputs()).find(({ name }) => name === input)?.verdict;
  await untilPasses(async () => expect(await verdictOn('hold')).toBe('sound'));
  let asked = 0;
  chain.balances = () => {
    asked += 1;
    throw new RetryableError('node.example took too long');
  };
  await untilPasses(() => expect(asked).toBeGreaterThan(3));
  const words = "Balances of eth can't be compared with the chain's: node.example took too long";
  expect(reader.status()).toMatchObject({ state: 'following', words });
  expect([reader.health, reader.isFarBehind]).toEqual(['works', false]);
  expect(warnings).toEqual([words]);
  // Then what holds them may have changed without a transfer.
  skip(86_400_000);
  await untilPasses(() =>
    expect([reader.status().state, reader.health]).toEqual(['waiting', 'fails']),
  );
  chain.balances = () => [BigInt(chain.head / 10)];
  await untilPasses(() =>
    expect([reader.status().words, reader.health]).toEqual([undefined, 'works']),
  );
});

it('A source compares balances again soon after a start, as the last process may not have', async () => {
  const { chain, want, start, readers } = await openReading();
  const skip = skipper();
  want([HOLD]);
  chain.args = '{"amount":"1"}';
  let asked = 0;
  chain.balances = () => {
    asked += 1;
    return [BigInt(chain.head / 10)];
  };
  start();
  await untilPasses(() => expect(asked).toBe(1));
  await readers[0]?.stop();
  start();
  const looks = chain.ends;
  await untilPasses(() => expect(chain.ends).toBeGreaterThan(looks + 2));
  expect(asked).toBe(1);
  skip(10 * 60_000);
  await untilPasses(() => expect(asked).toBe(2));
  skip(20 * 3_600_000);
  const later = chain.ends;
  await untilPasses(() => expect(chain.ends).toBeGreaterThan(later + 2));
  expect(asked).toBe(2);
});

it('A source is far behind as soon as rules go live that need what has not been compared', async () => {
  const { chain, want, start } = await openReading();
  want([HOLD], []);
  chain.args = '{"amount":"1"}';
  const compared = Promise.withResolvers<void>();
  let isAsked = false;
  chain.balances = () => {
    isAsked = true;
    throw new RetryableError('node.example took too long');
  };
  const reader = start(chain, { retryMs: { first: 1_000, most: 1_000 } });
  await untilPasses(() => expect(isAsked).toBe(true));
  expect(reader.isFarBehind).toBe(false);
  // Its next look may be far off, or may hang.
  chain.onEnd = () => compared.promise;
  want([HOLD]);
  expect(reader.isFarBehind).toBe(true);
  compared.resolve();
  await untilPasses(() => expect(reader.status().state).toBe('waiting'));
  expect(reader.status().words).toBe(
    "Balances of eth can't be compared with the chain's, so rules about them give no points yet: node.example took too long",
  );
});

it('A source warns once if a token gives no balances to compare, however often they are compared', async () => {
  const { store, chain, want, start } = await openReading();
  want([HOLD]);
  chain.args = '{"amount":"1"}';
  let asked = 0;
  chain.balances = () => {
    asked += 1;
    return undefined;
  };
  const warnings: string[] = [];
  const warn = (_: unknown, message: string) => void warnings.push(message);
  const reader = start(chain, { log: { ...silentLog, warn }, compareAgainMs: 1 });
  await untilPasses(async () => expect((await store.evidence.inputs())[0]?.verdict).toBe('sound'));
  await untilPasses(() => expect(asked).toBeGreaterThan(2));
  // `doctor` and `fathom sources` show the status, long after the log.
  await untilPasses(() => expect(reader.status().words).toBe(warnings[0]));
  expect([reader.status().state, reader.health]).toEqual(['following', 'works']);
  expect(warnings).toEqual([
    "Balances of eth can't be compared with the chain's: the contract doesn't answer balanceOf. Its events are counted without that check.",
  ]);
  chain.balances = () => [BigInt(chain.head / 10)];
  await untilPasses(() => expect(reader.status().words).toBeUndefined());
});

it('A token that gives no balance of one address is still compared by other addresses', async () => {
  const { store, chain, want, start } = await openReading();
  want([HOLD]);
  chain.args = '{"amount":"1"}';
  chain.wallets = [ETH_A, ETH_B];
  // The contract reverts for one address, and with it a question about several.
  chain.balances = (addresses) => (addresses.includes(ETH_A.address) ? undefined : [7n]);
  start(chain);
  await untilPasses(async () =>
    expect((await store.evidence.inputs())[0]?.verdict).toContain(`${ETH_B.address} has 7`),
  );
});

it('A source compares balances again, and gives up what was right only if it differs twice', async () => {
  const { store, chain, readers, want, start, heights } = await openReading();
  const verdict = async () => (await store.evidence.inputs())[0]?.verdict;
  // An event of one unit at every tenth height.
  chain.args = '{"amount":"1"}';
  chain.balances = () => [BigInt(chain.head / 10)];
  want([HOLD]);
  start(chain, { compareAgainMs: 20 });
  await untilPasses(async () => expect(await verdict()).toBe('sound'));
  let asked = 0;
  chain.balances = () => {
    asked += 1;
    return [7n];
  };
  await untilPasses(() => expect(asked).toBeGreaterThan(3));
  expect(await verdict()).toBe('sound');
  chain.balances = () => [BigInt(chain.head / 10)];
  chain.head += 10;
  const calm = asked;
  await untilPasses(async () => expect(await heights()).toEqual({ hold: 210 }));
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect([asked, await verdict()]).toEqual([calm, 'sound']);
  chain.balances = () => [7n];
  await untilPasses(async () => {
    chain.head += 10;
    expect(await verdict()).toContain('has 7 by the chain and');
  });
  const [reader] = readers;
  await untilPasses(() => expect(reader?.status().refused).toBe(1));
  // Replicas that stand by know it, too.
  const standby = start(chain, {
    replica: { during: async () => undefined, peersAnnounce: () => true },
  });
  await untilPasses(() => expect(standby.status()).toMatchObject({ state: 'standby', refused: 1 }));
  // It's final, until the operator wants it compared again.
  chain.balances = () => [BigInt(chain.head / 10)];
  const { evidence } = store;
  expect([await verdict(), await evidence.forgetRefusals('gno')]).toEqual([
    expect.stringContaining('has 7'),
    [],
  ]);
  expect(await evidence.forgetRefusals('eth')).toEqual(['hold']);
  await untilPasses(async () => expect(await verdict()).toBe('sound'));
  expect(await evidence.forgetRefusals('eth')).toEqual([]);
  await untilPasses(() => expect(reader?.status().refused).toBe(0));
});
