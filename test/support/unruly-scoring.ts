import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapSpaceStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import type { ScoringMessage, ScoringThreadData } from '#app/scoring/messages';
import { beat, beatInto } from '#core/work/heartbeat';
import { RULES_CLAIM } from '#rules/live-rules';

// Stands in for the thread that scores; the path of the rules says how it behaves.
const { path, counter } = workerData as ScoringThreadData;
beatInto(counter);

function tell(message: ScoringMessage): void {
  parentPort?.postMessage(message);
}

const state = { rules: { ok: true, detail: 'well' }, sources: [], isUnscored: false };
parentPort?.on('message', () => parentPort?.close());

if (path === 'dies at once') throw new Error('no memory');
if (path === 'ends at once') process.exit(0);
tell({ kind: 'state', state });
if (path === 'reads and hangs') {
  tell({ kind: 'report', part: 'sources', healths: new Map([['source eth', 'works']]) });
}
if (path?.endsWith('hangs')) for (;;);
if (path === 'computes') for (;;) beat();
if (path === 'holds much for a moment') {
  const held: object[][] = [];
  for (let i = 0; i < 60; i += 1) {
    held[i % 3] = Array.from({ length: 40_000 }, (_, place) => ({ place, list: [place] }));
    beat();
    const young = getHeapSpaceStatistics().find((each) => each.space_name === 'new_space');
    const message = `${(young?.space_size ?? 0) / 2 ** 20} MiB`;
    tell({ kind: 'log', level: 'info', fields: {}, message });
  }
}

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
