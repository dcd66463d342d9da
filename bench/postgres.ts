import { spawnSync } from 'node:child_process';
import { CORES, finish, pinned, start } from './process.ts';
import { say } from './progress.ts';
import { CLI } from './server.ts';
import { type Cluster, startCluster } from './servers/postgres/cluster.ts';

/** The bench's own Postgres, configured as in production: nothing is lost if it's killed. */

const SETTINGS = {
  fsync: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
  shared_buffers: '1GB',
  work_mem: '32MB',
  maintenance_work_mem: '256MB',
  max_wal_size: '8GB',
};

/** @param cores for all its processes */
export async function startPostgres(cores: string = CORES.all): Promise<Cluster> {
  const cluster = await startCluster({ settings: SETTINGS });
  // Processes that it starts later inherit it.
  if (pinned) spawnSync('taskset', ['-acp', cores, String(cluster.pid)], { stdio: 'ignore' });
  return cluster;
}

/** Copies a SQLite file into an empty database with the real command. */
export async function moveTo(databaseUrl: string, file: string, cwd: string): Promise<void> {
  say('moving the data set to Postgres');
  const child = start({
    program: process.execPath,
    args: [...CLI, 'migrate-store', `sqlite:${file}`, databaseUrl],
    cores: CORES.all,
    cwd,
  });
  await finish(child, 1800, 'fathom migrate-store');
}
