import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Child, CORES, cpuSecondsOf, freePort, pause, start, stop } from '../process.ts';
import { say } from '../progress.ts';
import type { RunningNode } from './chain-node.ts';
import { CHAIN_ID, CONTRACT, EVENT, POINTS } from './votes.ts';

/** Ponder over the same votes, each kept and counted for its voter, in a database of its own. */

/** Newer ones don't install as they're published; 1.0.0 is an old one under a wrong number. */
const PACKAGES = ['ponder@0.16.10', 'viem@2.57.1', 'hono@4.13.19'];

const FILES: Readonly<Record<string, string>> = {
  'package.json': '{"name": "bench-ponder", "private": true, "type": "module"}\n',
  'ponder.config.ts': `import { createConfig } from 'ponder';
import { parseAbi } from 'viem';

export default createConfig({
  chains: { bench: { id: ${CHAIN_ID}, rpc: process.env.RPC_URL } },
  contracts: {
    Governor: {
      chain: 'bench',
      abi: parseAbi(['event ${EVENT}']),
      address: '${CONTRACT}',
      startBlock: 1,
    },
  },
});
`,
  'ponder.schema.ts': `import { onchainTable } from 'ponder';

export const vote = onchainTable('vote', (t) => ({
  id: t.text().primaryKey(),
  voter: t.hex().notNull(),
  proposal: t.bigint().notNull(),
  support: t.integer().notNull(),
  weight: t.bigint().notNull(),
  reason: t.text().notNull(),
  block: t.bigint().notNull(),
  time: t.bigint().notNull(),
}));
export const score = onchainTable('score', (t) => ({
  wallet: t.hex().primaryKey(),
  points: t.integer().notNull(),
}));
`,
  'src/index.ts': `import { ponder } from 'ponder:registry';
import { score, vote } from 'ponder:schema';

ponder.on('Governor:VoteCast', async ({ event, context }) => {
  const { voter, proposalId: proposal, support, weight, reason } = event.args;
  const { number: block, timestamp: time } = event.block;
  await context.db
    .insert(vote)
    .values({ id: event.id, voter, proposal, support, weight, reason, block, time });
  await context.db
    .insert(score)
    .values({ wallet: voter, points: ${POINTS} })
    .onConflictDoUpdate((row) => ({ points: row.points + ${POINTS} }));
});
`,
  'src/api/index.ts': `import { Hono } from 'hono';

export default new Hono();
`,
};

/** Installs it by npm, without scripts of its packages, unless an earlier run has. */
export function installPonder(folder: string): void {
  mkdirSync(join(folder, 'src', 'api'), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  if (existsSync(join(folder, 'node_modules', 'ponder'))) return;
  say(`installing ${PACKAGES[0]}`);
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...PACKAGES];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`Ponder can't be installed: ${stderr.trim().slice(-500)}`);
}

export interface PonderRun {
  readonly events: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/**
 * Lets it index until it's done or the time is over.
 * @param databaseUrl of Postgres; its own PGlite without
 * @returns the events that it has stored, and the time from its first question about logs
 */
export async function runPonder(
  folder: string,
  node: RunningNode,
  votes: number,
  limitSeconds: number,
  databaseUrl?: string,
): Promise<PonderRun> {
  rmSync(join(folder, '.ponder'), { recursive: true, force: true });
  const port = await freePort();
  const child = start({
    program: process.execPath,
    args: [
      join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js'),
      ...['start', '--schema', `bench_${Date.now()}`, '--port', String(port)],
    ],
    ...{ cores: CORES.all, cwd: folder },
    env: {
      ...{ RPC_URL: node.url, PONDER_TELEMETRY_DISABLED: 'true' },
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
  });
  try {
    return await untilStored(child, node, port, votes, limitSeconds);
  } finally {
    await stop(child);
  }
}

async function untilStored(
  child: Child,
  node: RunningNode,
  port: number,
  votes: number,
  limitSeconds: number,
): Promise<PonderRun> {
  let ended = false;
  void child.ended.then(() => {
    ended = true;
  });
  for (;;) {
    await pause(500);
    if (ended) throw new Error(`Ponder ended: ${child.output.out.slice(-500)}`);
    const { firstAt } = await node.counts();
    const seconds = firstAt === 0 ? 0 : (Date.now() - firstAt) / 1_000;
    const events = await indexedBy(port);
    if (events < votes && seconds < limitSeconds) continue;
    return { events, seconds, cpuSeconds: cpuSecondsOf(child.pid) };
  }
}

async function indexedBy(port: number): Promise<number> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, {
      signal: AbortSignal.timeout(5_000),
    });
    const found = /^ponder_indexing_completed_events\{.*\} (\d+)/m.exec(await answer.text());
    return Number(found?.[1] ?? 0);
  } catch {
    // It answers nothing while it is busy.
    return 0;
  }
}
