import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { ScoringMessage, ScoringThreadData } from '#app/scoring/messages';
import { beat, countHeartbeatsIn } from '#cluster/store';
import { RULES_CLAIM } from '#scoring/rules-file/live-rules';

// Stands in for the thread that scores; the path of the rules says how it behaves.
const { path, counter } = workerData as ScoringThreadData;
countHeartbeatsIn(counter);

function tell(message: ScoringMessage): void {
  parentPort?.postMessage(message);
}

const state = { rules: { ok: true, detail: 'well' }, sources: [], isUnscored: false };
parentPort?.on('message', () => parentPort?.close());

async function begin(): Promise<void> {
  if (path === 'dies at once') throw new Error('no memory');
  if (path === 'ends at once') process.exit(0);
  tell({ kind: 'state', state });
  if (path === 'reads and hangs') {
    tell({ kind: 'report', part: 'sources', healths: new Map([['source eth', 'works']]) });
  }
  if (path?.endsWith('hangs')) for (;;);
  if (path === 'computes') for (;;) beat();

  const [, file] = path?.split('pauses until ') ?? [];
  if (file !== undefined || path === 'stands by') {
    while (file !== undefined && !existsSync(file));
    for (;;) {
      tell({ kind: 'state', state });
      if (file !== undefined) {
        tell({ kind: 'report', part: 'rules', healths: new Map([[RULES_CLAIM, 'works']]) });
      }
      beat();
      await sleep(1);
    }
  }
}

void begin();
