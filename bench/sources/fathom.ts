import { rmSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { Client } from '../client.ts';
import { percentile, steady } from '../latency.ts';
import { besideBusy, CORES, cpuSecondsOf, hurry, memoryOf, pause } from '../process.ts';
import { serveFathom } from '../server.ts';
import type { RunningNode } from './chain-node.ts';
import { POINTS, type VoteChain, voteRules, votersOf } from './votes.ts';

export interface FathomRun {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** The most memory of the whole process, in bytes. */
  readonly peak: number;
  /** Microseconds: p99 of a request while it read, and afterwards. */
  readonly whileReading: number;
  readonly idle: number;
  /** The same beside a busy process of no concern to it: what this machine takes, whoever is busy. */
  readonly floor: number;
}

const RATE = 100;
const IDLE_S = 5;
const LIMIT_S = 600;

/**
 * Serves from an empty database with rules over all votes, until every vote is scored.
 * @param databaseUrl an empty database; an SQLite file without
 */
export async function runFathom(
  dir: string,
  node: RunningNode,
  chain: VoteChain,
  databaseUrl?: string,
): Promise<FathomRun> {
  const file = join(dir, 'sources.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  writeFileSync(join(dir, 'votes.yaml'), voteRules());
  const server = await serveFathom(file, dir, {
    cores: CORES.all,
    env: {
      ...{ RULES: join(dir, 'votes.yaml'), BENCH_RPC: node.url },
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
  });
  const client = new Client(server.port);
  const priority = getPriority();
  const rest = async () => {
    const end = performance.now() + IDLE_S * 1_000;
    const until = () => performance.now() >= end;
    return percentile(await steady(client, path, { perSecond: RATE, until }), 0.99);
  };
  try {
    hurry(-10);
    const scored = new Scored(server.port, chain);
    const watching = scored.wait();
    const reading = await steady(client, path, { perSecond: RATE, until: () => scored.isDone });
    await watching;
    const { firstAt } = await node.counts();
    const seconds = (scored.doneAt - firstAt) / 1_000;
    const { pid } = server.child;
    const [cpuSeconds, peak] = [cpuSecondsOf(pid), memoryOf(pid)?.peak ?? 0];
    const idle = await rest();
    // A child inherits our priority when we start it.
    hurry(priority);
    const floor = await besideBusy(CORES.all, dir, async () => {
      hurry(-10);
      return await rest();
    });
    return {
      ...{ seconds, cpuSeconds, peak, idle, floor },
      whileReading: percentile(reading, 0.99),
    };
  } finally {
    hurry(priority);
    client.close();
    await server.stop();
  }
}

/** What is there at all times, whoever has votes. */
const path = () => '/v1/leaderboard?limit=1';

/** Whether every vote is scored: all points are there. */
class Scored {
  readonly #port: number;
  readonly #votes: number;
  readonly #voters: number;
  doneAt = 0;

  constructor(port: number, chain: VoteChain) {
    this.#port = port;
    this.#votes = chain.votes;
    this.#voters = votersOf(chain);
  }

  get isDone(): boolean {
    return this.doneAt !== 0;
  }

  async wait(): Promise<void> {
    for (const end = Date.now() + LIMIT_S * 1_000; Date.now() < end; await pause(250)) {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/v1/stats/global`);
      const { totalUsers, averageScore } = (await answer.json()) as {
        totalUsers: number;
        averageScore: number;
      };
      // The average is rounded.
      const missing = this.#votes - (totalUsers * averageScore) / POINTS;
      if (totalUsers === this.#voters && missing < this.#votes / 10_000) {
        this.doneAt = Date.now();
        return;
      }
    }
    this.doneAt = Date.now();
    throw new Error(`not every vote was scored in ${LIMIT_S} s`);
  }
}
