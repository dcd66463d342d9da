import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApiKey } from '#base/api-key';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { rulesReader } from '#scoring/rules-file/read-file';
import { openStore } from '#storage';
import type { Store } from '#storage/store';
import { openUpstream } from '#upstream/index';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { activityListContract } from '../storage/activity-list-contract.ts';
import { type StoreUnderTest, storeContract } from '../storage/contract.ts';
import { explanationContract } from '../storage/explanation-contract.ts';
import { historyContract } from '../storage/history-contract.ts';
import { namesAndBadgesContract } from '../storage/names-and-badges-contract.ts';
import { openApi } from '../support/api.ts';
import { silentLog } from '../support/log.ts';
import { PATIENT } from '../support/upstream.ts';

let folder: string;
const closing: (() => Promise<void>)[] = [];

/** A store that is written to here and read through the `/v1` of a server. */
async function openThroughServer(): Promise<Store> {
  folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  const location = `sqlite:${join(folder, 'fathom.db')}`;
  const store = await openStore(location, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
  // Every key is valid, so that there's no low rate limit.
  const key = { id: '1', label: 'b', owner: 'cli', createdAt: 0, revokedAt: undefined };
  const keys = { findByHash: () => key };
  const readRules = rulesReader(createWalletParser(chains));
  const api = await openApi({ source: await store.openSource(readRules), keys });
  let time = 1e6;
  closing.push(
    () => api.close(),
    async () => store.close(),
  );
  return {
    ...store,
    async openSource() {
      const upstream = openUpstream({
        url: `${api.url}/v1`,
        apiKey: createApiKey(randomBytes),
        log: silentLog,
        now: () => time,
        timeouts: PATIENT,
      });
      closing.unshift(() => upstream.close());
      return upstream.source;
    },
    async refresh() {
      await store.refresh();
      // Until then cached responses may be used.
      time += 600_000;
    },
    close() {},
  };
}

const under: StoreUnderTest = {
  open: openThroughServer,
  async clean() {
    for (const close of closing.splice(0)) await close();
    rmSync(folder, { recursive: true, force: true });
  },
};
storeContract('another instance', under);
activityListContract('another instance', under);
namesAndBadgesContract('another instance', under);
explanationContract('another instance', under);
historyContract('another instance', under);
