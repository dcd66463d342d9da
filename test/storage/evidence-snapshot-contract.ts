import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EvidenceSnapshot } from '#scoring/proof/snapshot';
import { proofLines } from '#scoring/proof/write';
import { NO_ENDS } from '#scoring/score-versions/ends';
import type { Store } from '#storage/store';
import { activityOf, batchOf, ETH_A, ETH_B, eventOf, SOL_A, writeTo } from '../support/ledger.ts';
import { rulesText, ScoredStore, TODAY, workshop } from '../support/scoring.ts';
import type { StoreUnderTest } from './contract.ts';

/** What an export of evidence consists of, in every store. */
export function evidenceSnapshotContract(name: string, under: StoreUnderTest): void {
  describe(`${name} keeps the contract of evidence snapshots`, () => {
    let store: Store;
    let scored: ScoredStore;

    beforeEach(async () => {
      store = await under.open();
      await store.openSource();
      scored = new ScoredStore(store, TODAY);
    });
    afterEach(async () => {
      await store.close();
      await under.clean();
    });

    it('proves scores by everything as it was at one moment', async () => {
      await writeTo(store, batchOf({ activities: [activityOf(ETH_B, 'a', { points: 900 })] }));
      await scored.add(eventOf(ETH_A, 'w1'), eventOf(ETH_A, 'w2'), eventOf(SOL_A, 'w1'));
      const text = rulesText([workshop]);
      const { asOf } = await scored.apply(text);
      const [evaluation, rules] = scored.rulesOf(text);
      const proof = async (snapshot: EvidenceSnapshot) => {
        const sha256 = () => createHash('sha256');
        const options = { snapshot, rules, evaluation, asOf, ends: NO_ENDS, sha256 };
        let lines = '';
        for await (const part of proofLines({ ...options, onWallets: () => undefined })) {
          lines += Buffer.from(part).toString();
        }
        await snapshot.close();
        return lines.trimEnd().split('\n');
      };
      const before = await proof(await store.scoring.openSnapshot());
      expect(before.filter((line) => line.includes('"kind":"result"'))).toEqual([
        expect.stringContaining(`"${ETH_A.address}","score":50,`),
        expect.stringContaining(
          `"${ETH_B.address}","score":900,"imported":{"points":900,"count":1}`,
        ),
        expect.stringContaining(`"${SOL_A.address}","score":25,`),
      ]);
      expect(before.filter((line) => line.includes('"kind":"event"'))).toHaveLength(3);
      const open = await store.scoring.openSnapshot();
      expect([open.pending, open.wallets, open.live?.version]).toEqual([0, 3, 1]);
      // Nothing else can open an in-memory database.
      if (under.again === undefined) expect(await proof(open)).toEqual(before);
      await writeTo(store, batchOf({ activities: [activityOf(SOL_A, 'b')] }));
      await scored.add(eventOf(ETH_B, 'w1'), eventOf(SOL_A, 'w0'));
      const behind = await store.scoring.openSnapshot();
      expect(behind.pending).toBe(2);
      await expect(proof(behind)).rejects.toThrow("aren't what its evidence gives");
      await behind.close();
      await scored.follow();
      if (under.again !== undefined) expect(await proof(open)).toEqual(before);
      const after = await proof(await store.scoring.openSnapshot());
      expect(after.filter((line) => line.includes('"kind":"event"'))).toHaveLength(5);
    });
  });
}
