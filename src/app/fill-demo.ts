import { fileURLToPath } from 'node:url';
import { applyRules, readCandidate } from '#scoring/rules-file';
import type { Store } from '#storage';
import { createWalletParser } from '#wallet';
import { chains } from '#wallet/chains';
import { demoBatch } from './demo.ts';

const RULES = fileURLToPath(new URL('./demo-rules.yaml', import.meta.url));

/** Adds the demo data to an empty store, and applies the demo's rules to it. */
export async function fillWithDemo(store: Store): Promise<void> {
  const writer = store.openWriter();
  await writer.stage(demoBatch());
  await writer.commit();
  const { signal } = new AbortController();
  await applyRules(readCandidate(RULES, createWalletParser(chains)), {
    store: store.scoring,
    signal,
  });
}
