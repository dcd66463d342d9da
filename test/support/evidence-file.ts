import { createHash } from 'node:crypto';
import { verifyEvidence } from '#cli/evidence/proof-file';
import { proofLines } from '#scoring/proof/write';
import { settledSnapshot } from '#scoring/rules-file/evidence-snapshot';
import type { Store } from '#storage/store';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';

/** What a store would export. */
export async function exportedFrom({ scoring: store }: Store): Promise<string> {
  const { signal } = new AbortController();
  const wallets = createWalletParser(chains);
  const onWait = () => undefined;
  const settled = await settledSnapshot({ store, wallets, signal, onWait, pollMs: 0 });
  const { snapshot, candidate, asOf, ends } = settled;
  let text = '';
  try {
    for await (const part of proofLines({
      ...{ snapshot, asOf, ends, rules: candidate.kept, evaluation: candidate.evaluation },
      sha256: () => createHash('sha256'),
      onWallets: () => undefined,
    })) {
      text += Buffer.from(part).toString();
    }
  } finally {
    await snapshot.close();
  }
  return text;
}

/** What another instance finds in it. */
export function verifiedBy(text: string) {
  const { signal } = new AbortController();
  return verifyEvidence([Buffer.from(text)], { signal, onProgress: () => undefined });
}

/** The lines with matching checkpoints, as a forger would write them. */
export function forged(lines: readonly string[]): string[] {
  const all: string[] = [];
  const sha256 = createHash('sha256');
  const own = lines.filter((line) => !line.startsWith('{"kind":"checkpoint"'));
  for (const [i, line] of own.entries()) {
    all.push(line);
    sha256.update(`${line}\n`);
    if ((i + 1) % 1_000 !== 0 && i + 1 !== own.length) continue;
    const hash = sha256.copy().digest('hex');
    all.push(JSON.stringify({ kind: 'checkpoint', lines: i + 1, sha256: hash }));
  }
  return all;
}
