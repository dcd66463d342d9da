import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { check } from '../check.ts';
import { Client } from '../client.ts';
import type { Bench } from '../context.ts';
import { dataSet, readSample } from '../datasets.ts';
import { median, percentile, steady } from '../latency.ts';
import { CORES, memoryOf, pause, pinMyself, pinned } from '../process.ts';
import { tell } from '../progress.ts';
import { count, megabytes, micros, type Row } from '../report.ts';
import { serveFathom } from '../server.ts';

/** Rank cards as pictures: how fast they are, and what `/v1` notices of them. */

const CARDS_A_SECOND = 20;
const REQUESTS_A_SECOND = 200;
const ROUNDS = 3;

export const cards: Bench = {
  name: 'cards',
  about: '/card/{address}.png alone, and beside /v1/reputation',
  async run(context) {
    const set = await dataSet(context.dir, context.main);
    const seconds = context.quick ? 2 : 10;
    // New pictures are limited for each client, so every request is another client's.
    const env = { TRUST_PROXY: '127.0.0.0/8' };
    const server = await serveFathom(set.file, context.dir, { cores: CORES.all, env });
    // A connection of its own for each phase: the server closes one that rests.
    const over = async <T>(run: (client: Client) => Promise<T>): Promise<T> => {
      const client = new Client(server.port);
      try {
        return await run(client);
      } finally {
        client.close();
      }
    };
    try {
      await check(server.port, set.expected);
      const before = memoryOf(server.child.pid)?.now ?? 0;
      const next = newCards(readSample(set));
      const cardOver = (client: Client) => () =>
        client.ask(next(), { 'X-Forwarded-For': stranger() });
      const threads = threadsOf(server.child.pid);
      await over((client) => cardOver(client)());
      // The drawing thread gets the second core; the rest of the server, and this client, the first.
      const added = threadsOf(server.child.pid).filter((each) => !threads.includes(each));
      pin(threads, CORES.server);
      pin(added, CORES.load);
      pinMyself(CORES.server);

      const speed = await over((client) => drawFor(seconds, cardOver(client)));
      tell('cards', 1, 2);
      const alone: number[] = [];
      const beside: number[] = [];
      let drawn = 0;
      const addresses = readSample(set);
      const path = () =>
        `/v1/reputation/${addresses[Math.floor(Math.random() * addresses.length)]}`;
      for (let round = 0; round < ROUNDS; round += 1) {
        alone.push(...(await over((client) => measure(client, path, seconds))));
        const end = performance.now() + seconds * 1000;
        const cards = over((client) => drawSteadily(end, cardOver(client)));
        beside.push(...(await over((client) => measure(client, path, seconds))));
        drawn += await cards;
      }
      tell('cards', 2, 2);
      const peak = memoryOf(server.child.pid)?.peak ?? 0;
      const rate = drawn / (ROUNDS * seconds);
      return [...speedRows(speed, peak - before), besideRow(alone, beside, rate)];
    } finally {
      pinMyself();
      await server.stop();
    }
  },
};

/** Another card with every call: other wallets, then other looks. */
function newCards(addresses: readonly string[]): () => string {
  let asked = 0;
  const looks = ['lang=en&theme=dark', 'lang=es&theme=dark', 'lang=en&theme=light'];
  return () => {
    const address = addresses[asked % addresses.length];
    const look = looks[Math.floor(asked / addresses.length) % looks.length];
    asked += 1;
    return `/card/${address}.png?${look}`;
  };
}

function stranger(): string {
  const byte = () => Math.floor(Math.random() * 256);
  return `9.${byte()}.${byte()}.${byte()}`;
}

/** Cards one after the other; microseconds each. */
async function drawFor(seconds: number, card: () => ReturnType<Client['ask']>): Promise<number[]> {
  const end = performance.now() + seconds * 1000;
  const samples: number[] = [];
  while (performance.now() < end) {
    const answer = await card();
    if (answer.status !== 200) throw new Error(`a card was answered with ${answer.status}`);
    samples.push(answer.micros);
  }
  return samples;
}

/** As many cards as are due, one after the other. @returns how many */
async function drawSteadily(end: number, card: () => ReturnType<Client['ask']>): Promise<number> {
  let drawn = 0;
  for (let due = performance.now(); due < end; due += 1000 / CARDS_A_SECOND) {
    await pause(Math.max(0, due - performance.now()));
    const { status } = await card();
    if (status !== 200) throw new Error(`a card was answered with ${status}`);
    drawn += 1;
  }
  return drawn;
}

function measure(client: Client, path: () => string, seconds: number): Promise<number[]> {
  const end = performance.now() + seconds * 1000;
  const until = () => performance.now() >= end;
  return steady(client, path, { perSecond: REQUESTS_A_SECOND, until });
}

function speedRows(samples: readonly number[], memory: number): Row[] {
  const seconds = samples.reduce((sum, each) => sum + each, 0) / 1e6;
  const [middle, slow] = [median(samples), percentile(samples, 0.99)];
  return [
    {
      what: 'New rank cards, one after the other',
      fathom: `${(samples.length / seconds).toFixed(1)} cards/s, median ${millis(middle)}, p99 ${millis(slow)}`,
      ...{ peer: '', limit: `≥ ${CARDS_A_SECOND} cards/s`, ratio: '', target: '' },
      met: samples.length / seconds >= CARDS_A_SECOND,
      note: `PNG of 1200×630, ${count(samples.length)} of them over one connection; the process grew by at most ${megabytes(memory)}, of which 34 MB may be kept pictures.`,
    },
  ];
}

function besideRow(alone: readonly number[], beside: readonly number[], rate: number): Row {
  const [base, with20] = [percentile(alone, 0.99), percentile(beside, 0.99)];
  const ratio = with20 / base;
  return {
    what: `/v1/reputation while ${CARDS_A_SECOND} new rank cards a second are drawn`,
    fathom: `p99 ${micros(with20)}`,
    peer: `p99 ${micros(base)} without`,
    limit: '≤ 1.50',
    ratio: ratio.toFixed(2),
    target: '',
    met: pinned ? ratio <= 1.5 : 'not measured',
    note: `${REQUESTS_A_SECOND} requests a second, in turns with and without cards, ${ROUNDS} times; ${rate.toFixed(1)} cards a second were drawn on the other core. Medians: ${micros(median(beside))} and ${micros(median(alone))} without.`,
  };
}

const millis = (microseconds: number) => `${(microseconds / 1000).toFixed(0)} ms`;

function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`);
}

function pin(threads: readonly string[], cores: string): void {
  if (!pinned) return;
  for (const each of threads) spawnSync('taskset', ['-cp', cores, each], { stdio: 'ignore' });
}
