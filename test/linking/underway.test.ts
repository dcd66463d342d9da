import { beforeEach, expect, it } from 'vitest';
import type { WalletLinking } from '#app/members/linking';
import { UserError } from '#base/errors';
import type { Caller } from '#command/account';
import type { Card } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { openAlgorandIndexer, type TestIndexer } from '../support/algorand-indexer.ts';
import { TestLog } from '../support/api.ts';
import { answererWith } from '../support/ask.ts';
import { cardText } from '../support/card-text.ts';
import { linkingWith } from '../support/linking.ts';
import { algorandWallet, ethereumWallet } from '../support/wallet-keys.ts';

const EN = textsFor('en');

const ALICE: Caller = { platform: 'discord', id: '80351110224678912', name: 'Alice' };
const MINE = algorandWallet('mine');
const OTHER = ethereumWallet('other');

let now: number;
let indexer: TestIndexer;
let linking: WalletLinking;
let log: TestLog;

beforeEach(async () => {
  now = 1_800_000_000;
  log = new TestLog();
  indexer = await openAlgorandIndexer();
  linking = linkingWith({
    clock: () => now * 1000,
    config: { ethereumRpcUrl: undefined, algorandIndexerUrl: indexer.url },
    log,
    // Nothing is retried automatically.
    after: () => () => undefined,
  });
  return () => linking.stop();
});

async function say(
  command: string,
  args: Record<string, string> = {},
  caller = ALICE,
): Promise<Card> {
  const answerer = answererWith({
    linksOf: (caller) => linking.of(caller),
    clock: () => now * 1000,
  });
  return await answerer.answer({ call: { command, args }, caller, locale: 'en' });
}

/** Signs by hand while the indexer is unavailable. */
async function signed(wallet = MINE, caller = ALICE): Promise<void> {
  indexer.instead = () => 'status 500';
  const { text } = await linking.of(caller).beginByHand(wallet.wallet);
  const card = await say('link', { code: await wallet.sign(text) }, caller);
  expect(cardText(card)).toContain(EN.link.uncheckedTitle);
}

it('/wallets lists a wallet whose signature is being checked', async () => {
  await signed();
  const text = cardText(await say('wallets'));
  expect(text).toContain(MINE.wallet.address);
  expect(text).toContain(EN.wallets.checking);
  expect(text).not.toContain(EN.wallets.none);
  indexer.instead = () => undefined;
  now += 10;
  await say('link');
  expect(cardText(await say('wallets'))).not.toContain(EN.wallets.checking);
});

it('/wallets lists a wallet whose code has yet to be typed', async () => {
  const { url } = await linking.of(ALICE).begin();
  const { session } = await linking.page.open(url.split('#')[1] ?? '', undefined);
  const { text } = await linking.page.challenge(session, OTHER.wallet.address);
  await linking.page.prove(session, { form: 'message', signature: await OTHER.sign(text) });
  expect(cardText(await say('wallets'))).toContain(EN.wallets.codeMissing);
  now += 300;
  expect(cardText(await say('wallets'))).toContain(EN.wallets.none);
});

it('Linking keeps a signature that is being checked on /link with another address, and says so', async () => {
  await signed();
  const card = await say('link', { wallet: OTHER.wallet.address });
  expect(cardText(card)).toContain(MINE.wallet.address);
  expect(cardText(card)).toContain(EN.link.uncheckedOther);
  indexer.instead = () => undefined;
  now += 10;
  expect(cardText(await say('link'))).toContain(EN.link.linkedTitle);
});

it('“Start over” gives up a signature that is being checked, after which another wallet can be linked', async () => {
  await signed();
  const card = await say('link', { wallet: OTHER.wallet.address });
  const startOver = card.actions.flat().find(({ label }) => label === EN.link.startOver);
  if (startOver === undefined || !('call' in startOver)) throw new Error('there is no such button');
  await say('link', { ...startOver.call.args });
  const asked = await say('link', { wallet: OTHER.wallet.address });
  expect(cardText(asked)).toContain(EN.link.signTitle);
});

it('The log says why a signature can’t be checked, once however often it’s retried', async () => {
  await signed();
  now += 10;
  await say('link');
  const told = () =>
    log.lines
      .filter(({ level }) => level === 'warn')
      .map(({ message, fields }) => `${message}: ${JSON.stringify(fields)}`);
  expect(told()).toHaveLength(1);
  expect(told()[0]).toMatch(/could not check a signature.*algorand.*responded with status 500/);
  for (const secret of indexer.secrets) expect(told().join()).not.toContain(secret);
});

it('The log says once an outage that signatures can’t be checked, however many hand one in', async () => {
  await signed();
  for (const id of ['1', '2', '3']) await signed(algorandWallet(id), { ...ALICE, id });
  const told = log.lines.filter(({ message }) => message === 'could not check a signature');
  expect(told.map(({ level }) => level)).toEqual(['warn', 'debug', 'debug', 'debug']);
});

it('Linking reports an indexer on another network as such, to the member and in the log', async () => {
  indexer.network = 'testnet-v1.0';
  const { text } = await linking.of(ALICE).beginByHand(MINE.wallet);
  const card = await say('link', { code: await MINE.sign(text) });
  const refusal = new UserError('indexer-wrong-network', '', [], { values: ['testnet-v1.0'] });
  expect(cardText(card)).toContain(EN.errors.of(refusal));
  expect(JSON.stringify(log.lines)).toContain("isn't on mainnet (testnet-v1.0)");
});
