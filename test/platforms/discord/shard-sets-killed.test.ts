import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { testBot, until } from '../../support/discord/bot.ts';
import type { StandInInteraction } from '../../support/discord/interaction.ts';
import { type Cluster, startCluster } from '../../support/postgres/cluster.ts';
import { makeTables } from '../../support/postgres/operations.ts';

const REPLICA = fileURLToPath(new URL('../../support/discord/run-replica.ts', import.meta.url));
/** In earnest it is three times as long; everything else is as it is in earnest. */
const DEAD_AFTER_SECONDS = 2;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
});
afterAll(() => cluster.remove());

/** Two processes of one bot, the first of which is connected. */
async function twoReplicas() {
  const { discord } = await testBot();
  const databaseUrl = await cluster.createDatabase();
  await makeTables(databaseUrl);
  const run = (id: string): ChildProcess => {
    const { token, apiUrl } = discord;
    const deadAfterSeconds = DEAD_AFTER_SECONDS;
    const settings = JSON.stringify({ id, databaseUrl, token, apiUrl, deadAfterSeconds });
    const child = spawn(process.execPath, [REPLICA], {
      env: { PATH: process.env.PATH, SETTINGS: settings },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const first = run('first');
  await until(() => discord.gateway.shards.length === 1);
  const second = run('second');
  // It is there, and has been for long enough to judge who is dead.
  await until(() => discord.rest.counts.gateway === 3);
  await sleep(DEAD_AFTER_SECONDS * 1000);
  return { discord, first, second };
}

async function answered(asked: StandInInteraction): Promise<void> {
  await until(() => asked.seen.length > 0);
  expect(asked.edits).toBe(1);
}

describe('a replica in a process of its own', () => {
  it('that is killed is replaced by the other one', async () => {
    const { discord, first } = await twoReplicas();
    await answered(discord.command('stats'));
    first.kill('SIGKILL');
    await until(() => discord.gateway.shards.length === 0);
    await until(() => discord.gateway.shards.length === 1);
    await answered(discord.command('stats'));
  });

  it('that is suspended for long leaves the gateway to the other one when it goes on', async () => {
    const { discord, first } = await twoReplicas();
    first.kill('SIGSTOP');
    await until(() => discord.gateway.shards.length === 2);
    first.kill('SIGCONT');
    await until(() => discord.gateway.shards.length === 1);
    await answered(discord.command('stats'));
  });

  it('that stops has handed over before it is gone', async () => {
    const { discord, first } = await twoReplicas();
    first.kill('SIGTERM');
    const gone = once(first, 'exit');
    await until(() => discord.gateway.shards.length === 2);
    await answered(discord.command('stats'));
    const [code] = await gone;
    expect(code).toBe(0);
    expect(discord.gateway.shards).toEqual(['0/1']);
    await answered(discord.command('stats'));
  });
});
