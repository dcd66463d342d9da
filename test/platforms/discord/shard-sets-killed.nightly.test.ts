import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Timings } from '#platforms/discord/gateway/timings';
import { openDatabase } from '#storage/postgres/database';
import type { StandInInteraction } from '../../../bench/servers/discord/interaction.ts';
import { type Cluster, startCluster } from '../../../bench/servers/postgres/cluster.ts';
import { testBot } from '../../support/discord/bot.ts';
import { eventually } from '../../support/eventually.ts';
import { silentLog } from '../../support/log.ts';
import { patienceMs } from '../../support/patience.ts';
import { createMigratedDatabase } from '../../support/postgres/migrated.ts';
import { PATIENT } from '../../support/postgres/operations.ts';
import { OWN_PROGRAM, ownProgram } from '../../support/program.ts';

/** A third of the production value; everything else is as in production. */
const DEAD_AFTER_SECONDS = 2;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

/** Two processes of one bot, one of which is connected. */
async function twoReplicas(
  deadAfterSeconds = DEAD_AFTER_SECONDS,
  timings: Partial<Timings> = { acknowledge: 25_000 },
) {
  const { discord } = await testBot();
  const databaseUrl = await createMigratedDatabase(cluster);
  const db = openDatabase(databaseUrl, silentLog, PATIENT);
  onTestFinished(() => db.close());
  const { token, apiUrl } = discord;
  const replicas = new Map(
    ['one', 'other'].map((id) => {
      const settings = { id, databaseUrl, token, apiUrl, deadAfterSeconds, timings };
      const child = spawn(process.execPath, [ownProgram('runReplica')], {
        env: { ...OWN_PROGRAM, PATH: process.env.PATH, SETTINGS: JSON.stringify(settings) },
        stdio: ['pipe', 'ignore', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      return [id, child];
    }),
  );
  const findHolder = async (): Promise<ChildProcess | undefined> => {
    const [row] = await db.rows(`SELECT replica FROM claim WHERE name LIKE 'discord:shards:%'`);
    return replicas.get(String(row?.replica));
  };
  const areThere = async () => (await db.rows('SELECT id FROM replica')).length === 2;
  const isConnected = () => discord.gateway.shards.length === 1;
  await eventually(async () => (await areThere()) && isConnected());
  return {
    discord,
    /** Sends a signal to the connected one, which only changes on a busy machine. */
    async signal(signal: NodeJS.Signals): Promise<ChildProcess> {
      let holder: ChildProcess | undefined;
      await eventually(async () => {
        holder = await findHolder();
        return holder !== undefined;
      });
      if (holder === undefined) throw new Error('nobody is connected');
      holder.kill(signal);
      return holder;
    },
  };
}

async function answered(asked: StandInInteraction): Promise<void> {
  await eventually(() => asked.seen.length > 0);
  expect(asked.edits).toBe(1);
}

describe('a replica in a process of its own', () => {
  it('that is killed is replaced by the other one', async () => {
    const { discord, signal } = await twoReplicas();
    const { gateway } = discord;
    await answered(discord.command('stats'));
    await signal('SIGKILL');
    const { identify } = gateway.counts;
    await eventually(() => gateway.counts.identify > identify && gateway.shards.length === 1);
    await answered(discord.command('stats'));
  });

  it('that is suspended for long leaves the gateway to the other one when it resumes', async () => {
    const { discord, signal } = await twoReplicas();
    const suspended = await signal('SIGSTOP');
    await eventually(() => discord.gateway.shards.length === 2);
    suspended.kill('SIGCONT');
    await eventually(() => discord.gateway.shards.length === 1);
    await answered(discord.command('stats'));
  });

  it("that stops has handed over before it's gone", async () => {
    // No one may be taken for dead here, nor the store for unavailable; the other one has time to sign in.
    const handOver = patienceMs(5_000);
    const timings = { acknowledge: 25_000, signIn: 200, poll: 200, store: 20_000, handOver };
    const { discord, signal } = await twoReplicas(60, timings);
    const { gateway } = discord;
    const gone = once(await signal('SIGTERM'), 'exit');
    await eventually(() => gateway.counts.identify >= 2);
    expect(gateway.mostOfAShard).toBe(2);
    await answered(discord.command('stats'));
    const [code] = await gone;
    expect(code).toBe(0);
    await eventually(() => gateway.shards.length === 1);
    expect(gateway.shards).toEqual(['0/1']);
    await answered(discord.command('stats'));
  });
});
