import { fileURLToPath } from 'node:url';
import { chains } from '#chains/index';
import type { Store } from '#core/store';
import { createWalletParser } from '#core/wallet';
import { applyRules } from '#rules/apply';
import { readCandidate } from '#rules/candidate';
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
