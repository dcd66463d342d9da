import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Reputation } from '#reputation/api-records';
import type { StandInInteraction } from '../bench/servers/discord/interaction.ts';
import type { Person } from '../bench/servers/telegram/world.ts';
import { textOf } from './support/discord/read.ts';
import { activityLine, addressOf, badgeLine, nameLine } from './support/import-lines.ts';
import { patienceMs } from './support/patience.ts';
import { EFFORT } from './support/random.ts';
import { missingRedis } from './support/redis.ts';
import { Replicas } from './support/replicas.ts';

/**
 * Three processes on one Postgres and one Redis, behind a plain load balancer that knows nothing about them.
 */

const WALLETS = 60;
/** Those that chats ask for: each replica draws the card of each once. */
const ASKED_WALLETS = 2;
/** How many answers come before and after each kill. */
const ANSWERS = EFFORT === 1 ? 4 : 8;
const CHAINS = ['ethereum', 'solana', 'algorand'] as const;
const addresses = Array.from({ length: WALLETS }, (_, i) => addressOf(chainOf(i), i));
const PATHS = [
  ...addresses.flatMap((each) => [
    `/v1/reputation/${each}`,
    `/v1/badges/${each}`,
    `/v1/activity/${each}`,
  ]),
  ...[0, 7, 55].map((offset) => `/v1/leaderboard?limit=10&offset=${offset}`),
  ...['eth', 'sol', 'algo'].map((chain) => `/v1/leaderboard?chain=${chain}`),
  '/v1/stats/global',
];

let replicas: Replicas;

beforeAll(async () => {
  replicas = await Replicas.open({ RATE_LIMIT_PUBLIC: '1000000', RATE_LIMIT_KEY: '100' });
  await replicas.command(['import', '-'], importText());
  for (const number of [0, 1, 2]) await replicas.start(number);
});
afterAll(() => replicas.close());

function chainOf(number: number) {
  return CHAINS[number % 3] ?? 'ethereum';
}

function importText(): string {
  const badges = [0, 1, 2, 3].map((number) => badgeLine(number));
  const names = addresses.map((_, i) => nameLine(chainOf(i), i));
  const activities = addresses.flatMap((_, i) => [
    activityLine(chainOf(i), i, { points: (i * 997) % 9500, source: `a${i}` }),
    activityLine(chainOf(i), i, {
      type: 'badge_earned',
      badge: `badge-${i % 4}`,
      points: 5,
      source: `b${i}`,
    }),
  ]);
  return [...badges, ...names, ...activities].map((line) => JSON.stringify(line)).join('\n');
}

/** The response for a path: body and ETag. */
async function answerOf(base: string, path: string): Promise<string> {
  const response = await fetch(base + path);
  return `${response.status} ${response.headers.get('etag')} ${await response.text()}`;
}

it('The service answers the same on each replica, byte for byte and with the same tags', async () => {
  for (const path of PATHS) {
    const answers = await Promise.all(replicas.urls.map((url) => answerOf(url, path)));
    expect(answers[0]).toMatch(/^200 W\/"/);
    expect(new Set(answers).size).toBe(1);
  }
});

it('The service shows what one process imports on all the others', async () => {
  const [address = ''] = addresses;
  const read = async (url: string) =>
    ((await (await fetch(`${url}/v1/reputation/${address}`)).json()) as Reputation).score;
  const before = await read(replicas.urls[0] ?? '');
  const line = activityLine(chainOf(0), 0, { points: 17, source: 'later' });
  await replicas.command(['import', '-'], JSON.stringify(line));
  for (const url of replicas.urls) {
    await expect.poll(() => read(url)).toBe(before + 17);
  }
});

it.skipIf(missingRedis !== undefined)('a key has one limit, wherever it is shown', async () => {
  // If the machine is too busy for Redis to respond in time, each replica counts on its own.
  const answers = await whileRedisAnswers(async (key) =>
    Promise.all(Array.from({ length: 150 }, () => askWith(key))),
  );
  const passed = answers.filter(({ status }) => status === 200);
  expect(passed).toHaveLength(100);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(50);
  expect(new Set(passed.map(({ left }) => left)).size).toBe(100);
});

it.skipIf(missingRedis !== undefined)('a question that Redis leaves open is counted', async () => {
  const key = (await replicas.command(['keys', 'create', '--label', 'test'])).trim();
  expect((await askWith(key)).status).toBe(200);
  const before = await replicas.redisUnanswered();
  replicas.redis?.freeze();
  try {
    expect((await askWith(key)).status).toBe(200);
    await expect.poll(() => replicas.redisUnanswered()).toBeGreaterThan(before);
  } finally {
    replicas.redis?.thaw();
  }
});

async function askWith(key: string) {
  const response = await fetch(`${replicas.balancer.url}/v1/stats/global`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.arrayBuffer();
  return { status: response.status, left: response.headers.get('x-ratelimit-remaining') };
}

/** Does something with a new key; repeats it if a replica missed a response from Redis meanwhile. */
async function whileRedisAnswers<T>(work: (key: string) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const key = (await replicas.command(['keys', 'create', '--label', 'test'])).trim();
    const before = await replicas.redisUnanswered();
    await expect.poll(async () => (await readyChecks()).every(({ redis }) => redis?.ok)).toBe(true);
    const result = await work(key);
    const isAnswered =
      (await replicas.redisUnanswered()) === before &&
      (await readyChecks()).every(({ redis }) => redis?.ok);
    if (isAnswered || tries === 30) return result;
  }
}

async function readyChecks(): Promise<Record<string, { ok: boolean }>[]> {
  return Promise.all(
    replicas.urls.map(async (url) => {
      const found = (await (await fetch(`${url}/readyz`)).json()) as {
        checks: Record<string, { ok: boolean }>;
      };
      return found.checks;
    }),
  );
}

/** After this long a replica answers without knowing whether another one does. */
const UNSURE_MS = 600;

/** One interaction, delivered to two of them while the database responded in time. */
async function deliveredTwice(): Promise<StandInInteraction> {
  const { discord } = replicas;
  const { delivery } = discord;
  const urls = delivery.urls;
  try {
    for (let tries = 1; ; tries += 1) {
      // We make the first delivery ourselves, to both.
      delivery.urls = replicas.urls.slice(0, 1).map((url) => `${url}/discord/interactions`);
      const began = performance.now();
      const interaction = discord.command('rep', { wallet: addresses[3] ?? '' });
      const signed = delivery.sign(discord.eventOf(interaction));
      const other = await delivery.send(`${replicas.urls[1]}/discord/interactions`, signed);
      expect(other.status).toBe(200);
      await expect.poll(() => told(interaction)).toContain(addresses[3]);
      if (performance.now() - began < UNSURE_MS || tries === 20) return interaction;
    }
  } finally {
    delivery.urls = urls;
  }
}

it('The service answers an interaction delivered to two replicas once', async () => {
  const interaction = await deliveredTwice();
  await sleep(1_500);
  expect(interaction.edits).toBe(1);
  expect(interaction.whispers).toEqual([]);
});

/**
 * Whether the database recorded it before it was acknowledged. Where that takes longer, a replica acknowledges it
 * all the same, as Discord waits for three seconds, and what it has begun is lost if it dies.
 */
const isKept = (interaction: StandInInteraction) => interaction.acknowledgedAfter < UNSURE_MS;

it('The service gives no wrong and no lost answer while each in turn is killed with -9', async () => {
  const expected = new Map<string, string>();
  for (const path of PATHS) expected.set(path, await answerOf(replicas.balancer.url, path));
  const load = new Load(expected);
  const work = load.run();
  for (const number of [0, 1, 2]) {
    await load.goesOn(ANSWERS);
    await load.isAsked();
    await replicas.kill(number);
    await load.goesOn(ANSWERS);
    await replicas.start(number);
  }
  await load.goesOn(ANSWERS);
  await expect.poll(() => load.read).toBeGreaterThan(300);
  load.stop();
  await work;

  expect(load.wrong).toEqual([]);
  expect(replicas.balancer.retried).toBeGreaterThan(0);
  expect(load.interactions.length).toBeGreaterThanOrEqual(7 * ANSWERS);
  for (const { interaction, address } of load.kept()) {
    await expect.poll(() => told(interaction)).toContain(address);
  }
  for (const { interaction, address } of load.interactions) {
    if (interaction.seen.length > 0) expect(told(interaction)).toContain(address);
    expect(interaction.whispers).toEqual([]);
  }
  expect(load.messages.length).toBeGreaterThanOrEqual(7 * ANSWERS);
  for (const { person, address } of load.messages) {
    const chat = { id: person.user.id };
    const answers = () => replicas.telegram.sentTo(chat);
    await expect.poll(() => answers().length).toBeGreaterThan(0);
    for (const { text } of answers()) expect(text).toContain(address);
  }
  expect(replicas.discord.faults).toEqual([]);
  replicas.telegram.check();
});

function told(interaction: StandInInteraction): string {
  return interaction.seen.map(textOf).join('\n');
}

/**
 * While others keep the machine busy, Postgres may miss its deadlines: the response says so, and a client asks
 * again. On a quiet machine that's a fault.
 */
async function patientAnswerOf(base: string, path: string): Promise<string> {
  for (let tries = 1; ; tries += 1) {
    const answer = await answerOf(base, path);
    const isBusy = patienceMs(1_000) > 1_000;
    if (!answer.startsWith('503 ') || !isBusy || tries === 30) return answer;
    await sleep(1_000);
  }
}

/** Users and programs that send requests all the time. */
class Load {
  read = 0;
  /** Wrong responses from /v1. */
  readonly wrong: string[] = [];
  readonly interactions: { interaction: StandInInteraction; address: string }[] = [];
  readonly messages: { person: Person; address: string }[] = [];
  readonly #expected: ReadonlyMap<string, string>;
  readonly #stopping = new AbortController();

  constructor(expected: ReadonlyMap<string, string>) {
    this.#expected = expected;
  }

  /** The interactions that no killed replica may lose. */
  kept() {
    return this.interactions.filter(({ interaction }) => isKept(interaction));
  }

  /** Waits for so many more answers; on a busy machine none of them may be in time to be kept. */
  async goesOn(count: number): Promise<void> {
    const answers = () =>
      this.interactions.filter(({ interaction }) => interaction.seen.length > 0);
    const before = answers().length;
    await expect.poll(() => answers().length).toBeGreaterThanOrEqual(before + count);
  }

  /** Waits until someone has asked and has no answer yet. */
  async isAsked(): Promise<void> {
    const isOpen = () => this.interactions.at(-1)?.interaction.seen.length === 0;
    await vi.waitUntil(isOpen, { timeout: patienceMs(), interval: 2 });
  }

  async run(): Promise<void> {
    await Promise.all([this.#reads(), this.#reads(), this.#chats()]);
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #reads(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      for (const [path, expected] of this.#expected) {
        const answer = await patientAnswerOf(replicas.balancer.url, path);
        this.read += 1;
        if (answer !== expected) this.wrong.push(`${path}: ${answer}`);
        if (this.#stopping.signal.aborted) return;
        await sleep(80);
      }
    }
  }

  async #chats(): Promise<void> {
    const { discord, telegram } = replicas;
    for (let i = 0; !this.#stopping.signal.aborted; i++) {
      const address = addresses[i % ASKED_WALLETS] ?? '';
      const interaction = discord.command('rep', { wallet: address });
      this.interactions.push({ interaction, address });
      const person = telegram.world.person();
      telegram.says(person, `/rep ${address}`);
      this.messages.push({ person, address });
      // A card for each: more of them would keep replicas from starting on a busy machine.
      await sleep(300);
    }
  }
}
