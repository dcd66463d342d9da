import { createLinkedRoles } from '#app/members/linked-roles';
import { openLinkedRoles } from '#platforms/discord/linked-roles/open';
import { BotRest } from '#platforms/discord/rest/bot-rest';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openSqliteStore } from '#storage/sqlite/open';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { FixedSource, fixedWallets } from '../fixed-source.ts';
import { silentLog } from '../log.ts';
import { patienceMs } from '../patience.ts';

/** A program: updates all connected members in a file until it's killed. */
const { file, token, clientSecret, apiUrl, now } = JSON.parse(process.env.SETTINGS ?? '{}');
const begun = Date.now();
const roles = createLinkedRoles({
  open: openLinkedRoles({ rest: new BotRest({ token, apiUrl }), clientSecret, apiUrl }),
  publicUrl: () => 'http://127.0.0.1',
  store: openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog }),
  source: new FixedSource(fixedWallets()),
  wallets: createWalletParser(chains),
  clientOf: () => '',
  log: silentLog,
  clock: () => now + Date.now() - begun,
  timings: { tick: 100, timeout: patienceMs(60_000) },
});
roles.begin();
setInterval(() => undefined, 60_000);
