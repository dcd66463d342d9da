import { setTimeout as pause } from 'node:timers/promises';
import { createGating } from '#app/gating';
import { createWalletLinking } from '#app/linking';
import { chains } from '#chains/index';
import { commands } from '#commands/index';
import { Answerer } from '#core/answerer';
import { DEFAULT_THRESHOLDS } from '#core/tier';
import { createWalletParser } from '#core/wallet';
import { platforms } from '#platforms/index';
import { startTelegram } from '#platforms/telegram/adapter';
import { openStore } from '#stores/index';

/**
 * The real adapter over a data file without Telegram's flood limits, which would hold it to 30
 * messages a second. Says `up` when it is connected and `done` after so many answers.
 * Arguments: the data file, the stand-in's address and token, the number of answers.
 */

const [file = '', apiUrl = '', token = '', answers = '0'] = process.argv.slice(2);
const log = { debug() {}, info() {}, warn: console.error, error: console.error };
const store = await openStore(`sqlite:${file}`, { thresholds: DEFAULT_THRESHOLDS, log });
const refuse = () => {
  throw new Error('no keys here');
};
const wallets = createWalletParser(chains);
const linking = createWalletLinking({
  config: { ethereumRpcUrl: undefined, algorandIndexerUrl: undefined },
  store: store.links,
  wallets,
  platforms,
  publicUrl: () => 'https://rep.example.org',
  log,
});
const source = await store.openSource();
const gating = createGating({
  store: store.gating,
  source,
  wallets,
  walletsOf: (account) => linking.walletsOf(account),
  keeperOf: () => undefined,
  revision: () => undefined,
  log,
});
const answerer = new Answerer({
  commands,
  source,
  wallets,
  thresholds: DEFAULT_THRESHOLDS,
  keysOf: () => ({ issue: refuse, list: refuse, revoke: refuse }),
  linksOf: (caller) => linking.of(caller),
  gating: gating.gating,
  platforms,
  log,
});
let left = Number(answers);
const many = Number.POSITIVE_INFINITY;
const bot = startTelegram({
  token,
  apiUrl,
  mode: 'polling',
  answerer,
  log,
  limits: { all: many, chat: many, group: many },
  onCommand(_, outcome) {
    if (outcome === 'answered') left -= 1;
    else console.error(`an update was ${outcome}`);
    if (left === 0) console.log('done');
  },
});
process.once('SIGTERM', () => void bot.stop().then(() => store.close()));
while (!bot.status().ok) await pause(20);
console.log('up');
