import { existsSync } from 'node:fs';

/**
 * Test files that take long, longest first, by what takes the time. They start first, since one
 * that started last would keep a run waiting with the other workers idle, and their tests have five
 * minutes instead of one. Add a file when it takes 4 s of CPU, or 15 s.
 */
const SLOW: Readonly<Record<string, readonly string[]>> = {
  'runs several replicas or bots as processes': [
    'test/every-source.test.ts',
    'test/nginx.test.ts',
    'test/gating-killed.test.ts',
    'test/replicas.test.ts',
    'test/replicas-cut-off.test.ts',
    'test/sources/lying-nodes.test.ts',
    'test/webhooks-replicas-killed.test.ts',
    'test/sources/anvil/reading.test.ts',
    'test/core/gating/replicas-postgres.test.ts',
    'test/platforms/discord/http-replicas.test.ts',
    'test/platforms/discord/shard-sets-killed.test.ts',
    'test/platforms/discord/shard-sets.test.ts',
    'test/sources/killed.test.ts',
    'test/client/failover.test.ts',
    'test/same-figures.test.ts',
    'test/upstream/service.test.ts',
    'test/webhooks-killed.test.ts',
  ],
  'keeps every contract of stores': ['test/stores/postgres.test.ts', 'test/stores/sqlite.test.ts'],
  'kills, fills or moves a store again and again': [
    'test/cli/migrate-store-broken.test.ts',
    'test/cli/import-postgres.test.ts',
    'test/cli/rules-killed.test.ts',
    'test/scoring-disk-full.test.ts',
    'test/cli/migrate-store.test.ts',
    'test/cli/import.test.ts',
    'test/cli/import-interrupted.test.ts',
    'test/stores/postgres-same-bodies.test.ts',
    'test/real-data.test.ts',
    'test/cli/import-faults.test.ts',
    'test/cli/disk-full-postgres.test.ts',
    'test/cli/kill.test.ts',
    'test/cli/disk-full.test.ts',
    'test/client/several-writers.test.ts',
  ],
  'plays long random histories': [
    'test/core/gating/model.test.ts',
    'test/sources/evm-source.test.ts',
    'test/stores/following.test.ts',
    'test/api/openapi.test.ts',
    'test/sources/scored-chain.test.ts',
    'test/core/gating/replicas.test.ts',
    'test/core/gating/runs.test.ts',
    'test/stores/histories.test.ts',
  ],
  'starts databases, stops them and waits for what they say': [
    'test/stores/postgres-faults.test.ts',
    'test/stores/postgres-work.test.ts',
    'test/cli/doctor-postgres.test.ts',
    'test/stores/postgres-sums.test.ts',
    'test/stores/staleness.test.ts',
    'test/cli/doctor.test.ts',
    'test/stores/postgres-turns.test.ts',
    'test/stores/postgres-pooler.test.ts',
    'test/cli/doctor-redis.test.ts',
    'test/stores/postgres-writers.test.ts',
    'test/stores/postgres-schema.test.ts',
    'test/stores/postgres-concurrency.test.ts',
    'test/stores/postgres-gating-concurrency.test.ts',
  ],
  'opens pages in a browser': [
    'test/web/accessible.test.ts',
    'test/web/link/faults.test.ts',
    'test/web/page.test.ts',
    'test/web/link/page.test.ts',
    'test/web/hostile.test.ts',
    'test/web/link/wallets.test.ts',
    'test/web/link/steps.test.ts',
    'test/api/docs.test.ts',
    'test/web/link/lost-answers.test.ts',
    'test/web/link/walletconnect.test.ts',
    'test/api/docs-examples.test.ts',
    'test/web/link/hostile.test.ts',
  ],
  'starts the whole service or its commands again and again': [
    'test/cli/sources.test.ts',
    'test/main.test.ts',
    'test/cli/check-again.test.ts',
    'test/cli/priority.test.ts',
    'test/linking.test.ts',
    'test/gating.test.ts',
    'test/platforms/discord/linked-roles/tokens.test.ts',
    'test/cli/against-chain.test.ts',
    'test/cli/command-line.test.ts',
    'test/clock.test.ts',
    'test/start.test.ts',
    'test/cli/evidence.test.ts',
    'test/cli/rules.test.ts',
    'test/cli/keys.test.ts',
  ],
};

/**
 * Paths from the root of the project. Every kind is spread over the whole list: some keep cores busy, and others
 * mostly wait.
 */
export const SLOW_FILES: readonly string[] = Object.values(SLOW)
  .flatMap((files) => files.map((file, place) => ({ file, position: place / files.length })))
  .sort((one, other) => one.position - other.position)
  .map(({ file }) => file);

const root = new URL('..', import.meta.url);
for (const file of SLOW_FILES) {
  if (!existsSync(new URL(file, root)))
    throw new Error(`test/slow-files.ts lists ${file}, which is gone`);
}

/** Milliseconds a test may take on a quiet machine: a hang costs a minute, in a slow file five. */
export const TEST_TIMEOUT = 60_000;
export const SLOW_TEST_TIMEOUT = 300_000;
