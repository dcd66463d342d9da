import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StandInInteraction } from '../bench/servers/discord/interaction.ts';
import type { Person } from '../bench/servers/telegram/world.ts';
import { textOf } from './support/discord/read.ts';
import { activityLine, addressOf } from './support/import-lines.ts';
import { patienceMs } from './support/patience.ts';
import { Replicas } from './support/replicas.ts';

/** Two processes whose database is killed in the middle of what they do for many, and comes back. */

const NUMBERS = [0, 1] as const;
const WALLETS = 8;
const LONG = { timeout: patienceMs(120_000), interval: 100 };
const addresses = Array.from({ length: WALLETS }, (_, i) => addressOf('ethereum', i));

let replicas: Replicas;
beforeAll(async () => {
  replicas = await Replicas.open({ RATE_LIMIT_PUBLIC: '1000000' });
  const lines = addresses.map((_, i) =>
    activityLine('ethereum', i, { points: i * 100, source: `a${i}` }),
  );
  await replicas.command(['import', '-'], lines.map((line) => JSON.stringify(line)).join('\n'));
  for (const number of NUMBERS) await replicas.start(number);
  leaveTimeBetweenTries();
});
afterAll(() => replicas.close());

/** Telegram doesn't try again at once. */
function leaveTimeBetweenTries(): void {
  const { webhook } = replicas.telegram;
  const { deliver } = webhook;
  webhook.deliver = async (update, secret) => {
    const status = await deliver(update, secret);
    if (status !== 200) await sleep(1_000);
    return status;
  };
}

const told = (interaction: StandInInteraction) => interaction.seen.map(textOf).join('\n');

/** Programs and members that ask all the time, as long as the signal says. */
class Load {
  readonly answers = new Map<string, Set<string>>();
  readonly ready = new Set<string>();
  readonly interactions: StandInInteraction[] = [];
  readonly messages: Person[] = [];
  readonly #ended = new AbortController();
  readonly #work = [this.#read(), this.#read(), this.#look(), this.#chat()];

  /** Waits for so many more commands. */
  async goesOn(count: number): Promise<void> {
    const until = this.messages.length + count;
    await expect.poll(() => this.messages.length, LONG).toBeGreaterThanOrEqual(until);
  }

  async end(): Promise<void> {
    this.#ended.abort();
    await Promise.all(this.#work);
  }

  async #read(): Promise<void> {
    for (let i = 0; !this.#ended.signal.aborted; i += 1) {
      for (const resource of ['reputation', 'badges', 'activity', 'history']) {
        const path = `/v1/${resource}/${addresses[i % WALLETS]}`;
        const response = await fetch(replicas.balancer.url + path);
        await response.arrayBuffer();
        const wait = response.headers.has('retry-after') ? ', to be asked again' : '';
        const found = this.answers.get(resource) ?? new Set();
        this.answers.set(resource, found.add(`${response.status}${wait}`));
      }
      await sleep(50);
    }
  }

  async #look(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      for (const number of NUMBERS) {
        const response = await fetch(`${replicas.urlOf(number)}/readyz`);
        const { status } = (await response.json()) as { status: string };
        this.ready.add(`${response.status} ${status}`);
      }
      await sleep(50);
    }
  }

  async #chat(): Promise<void> {
    const { discord, telegram } = replicas;
    for (let i = 0; !this.#ended.signal.aborted; i += 1) {
      const wallet = addresses[i % WALLETS] ?? '';
      const command = i % 2 === 0 ? 'rep' : 'activity';
      this.interactions.push(discord.command(command, { wallet }));
      const person = telegram.world.person();
      telegram.says(person, `/${command} ${wallet}`);
      this.messages.push(person);
      await sleep(250);
    }
  }
}

async function dataOf(number: number): Promise<string | undefined> {
  const response = await fetch(`${replicas.urlOf(number)}/readyz`);
  const { checks } = (await response.json()) as { checks: { data: { detail: string } } };
  return checks.data.detail;
}
const eachSays = () => Promise.all(NUMBERS.map(dataOf));

it('Replicas answer everything, and nothing twice, while their database is killed', async () => {
  const load = new Load();
  await load.goesOn(8);
  await replicas.cluster.kill();
  await expect.poll(eachSays, LONG).toEqual(NUMBERS.map(() => "can't read the data; see the log"));
  await load.goesOn(12);
  await replicas.cluster.start();
  await expect.poll(eachSays, LONG).toEqual(NUMBERS.map(() => 'up to date'));
  await load.goesOn(8);
  await load.end();

  // Those that memory answers are never refused; the others say when to ask again.
  expect(load.answers.get('reputation')).toEqual(new Set(['200']));
  expect(load.answers.get('badges')).toEqual(new Set(['200']));
  const both = new Set(['200', '503, to be asked again']);
  expect(load.answers.get('activity')).toEqual(both);
  expect(load.answers.get('history')).toEqual(both);
  expect(load.ready).toEqual(new Set(['200 ready']));

  for (const interaction of load.interactions) {
    await expect.poll(() => told(interaction), LONG).not.toBe('');
    expect(interaction.edits).toBe(1);
    expect(interaction.whispers).toEqual([]);
  }
  for (const { user } of load.messages) {
    await expect.poll(() => replicas.telegram.sentTo({ id: user.id }).length, LONG).toBe(1);
  }
  expect(replicas.discord.faults).toEqual([]);
  replicas.telegram.check();
});
