import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { DiscordAdapter } from '#platforms/discord/bot';
import type { StandInInteraction } from '../../../bench/servers/discord/interaction.ts';
import { QUICK, type TestBot, testBot } from '../../support/discord/bot.ts';
import { TestFleet } from '../../support/discord/replicas.ts';
import { eventually } from '../../support/eventually.ts';

const ELSEWHERE = { ok: true, detail: 'another replica is connected' };
const HERE = { ok: true, detail: 'connected' };
/** Long enough for a set to be taken by mistake. */
const SOME_POLLS_MS = 400;
/** What a replica must hold to sign in. */
const TURN = 'discord:identify:0';
/** The time between two sign-ins; a little less passes too, as no timer is exact. */
const SIGN_IN_MS = 300;
const ALMOST_MS = SIGN_IN_MS - 10;

async function answered(...asked: StandInInteraction[]): Promise<void> {
  await eventually(() => asked.every(({ seen }) => seen.length > 0));
}

/** Log lines that an operator should look into. */
function worries({ lines }: TestBot): string[] {
  const bad = lines.filter(({ level }) => level === 'warn' || level === 'error');
  return bad.map(({ message }) => message);
}

/** Two replicas of one bot, the first of which is connected. */
async function pair(
  options: Parameters<TestBot['start']>[0] = {},
  ofSecond: typeof options = options,
) {
  const bot = await testBot();
  const fleet = new TestFleet();
  const [first, second] = [fleet.join('first'), fleet.join('second')];
  const a = bot.start({ ...first.options, ...options });
  await eventually(() => a.status().ok);
  const b = bot.start({ ...second.options, ...ofSecond });
  await eventually(() => b.status().ok);
  return { ...bot, fleet, first, second, a, b };
}

describe('one set of shards', () => {
  it('is connected by one replica while the other stands by', async () => {
    const { discord, a, b } = await pair();
    const asked = discord.command('stats');
    await answered(asked);
    await sleep(SOME_POLLS_MS);
    expect([a.status(), b.status()]).toEqual([HERE, ELSEWHERE]);
    expect(discord.gateway.counts).toMatchObject({ sockets: 1, identify: 1 });
    expect(discord.gateway.shards).toEqual(['0/1']);
  });

  it('is handed over by a stopping replica without losing a command', async () => {
    const { discord, a, b } = await pair({ timings: { ...QUICK, handOver: 5_000 } }, {});
    let stopped = false;
    const stopping = a.stop().then(() => {
      stopped = true;
    });
    const asked: StandInInteraction[] = [];
    while (!stopped) {
      asked.push(discord.command('stats'));
      // Less often once both listen: polling mustn't keep the machine busy.
      await sleep(discord.gateway.counts.identify === 1 ? 10 : 100);
    }
    await stopping;
    asked.push(discord.command('stats'));
    await answered(...asked);
    expect(asked.map(({ edits }) => edits)).toEqual(asked.map(() => 1));
    expect(asked.length).toBeGreaterThan(10);
    expect([a.status().detail, b.status()]).toEqual(['stopped', HERE]);
    await eventually(() => discord.gateway.shards.length === 1);
    expect(discord.gateway.shards).toEqual(['0/1']);
  });

  it("taken by another replica is left at once, and taken back when it's free", async () => {
    const bot = await testBot();
    const fleet = new TestFleet();
    const adapter = bot.start(fleet.join('this').options);
    await eventually(() => adapter.status().ok);
    fleet.join('other');
    // As after a pause of this process: it counted as dead.
    await fleet.work.release('discord:shards:0-0/1', 'this');
    await fleet.work.hold('discord:shards:0-0/1', 'other');
    await eventually(() => bot.discord.gateway.open === 0);
    expect(adapter.status()).toEqual(ELSEWHERE);
    await fleet.work.release('discord:shards:0-0/1', 'other');
    await eventually(() => adapter.status().detail === 'connected');
    await answered(bot.discord.command('stats'));
  });

  it("waiting for its turn to sign in doesn't count as away", async () => {
    const bot = await testBot();
    const fleet = new TestFleet();
    fleet.join('other');
    await fleet.work.hold(TURN, 'other');
    const replica = fleet.join('this');
    const timings = { ...QUICK, away: 600 };
    const adapter = bot.start({ ...replica.options, timings });
    await eventually(() => replica.asked.has(TURN));
    // Until then it waited for the network, for which the machine may have been too busy.
    const before = worries(bot);
    await sleep(900);
    expect(worries(bot)).toEqual(before);
    expect(bot.discord.gateway.counts.identify).toBe(0);
    await fleet.work.release(TURN, 'other');
    await eventually(() => adapter.status().ok);
  });

  it('is given to another replica by one that Discord rejects', async () => {
    const bot = await testBot();
    const fleet = new TestFleet();
    const wrong = bot.start({ ...fleet.join('wrong').options, membersIntent: true });
    await eventually(() => wrong.status().detail.includes('DISCORD_MEMBERS_INTENT'));
    const right = bot.start(fleet.join('right').options);
    await eventually(() => right.status().detail === 'connected');
    await answered(bot.discord.command('stats'));
    expect(wrong.status().ok).toBe(false);
  });
});

describe('an unavailable store', () => {
  it('leaves the bot connected, and lets it sign in again', async () => {
    const { discord, first, second, a } = await pair();
    first.isCut = true;
    second.isCut = true;
    await sleep(SOME_POLLS_MS);
    await answered(discord.command('stats'));
    discord.gateway.forget();
    discord.gateway.drop();
    await eventually(() => discord.gateway.counts.identify >= 2 && a.status().ok);
    await answered(discord.command('stats'));
  });

  it('at one replica only means two connections for a while, and one answer', async () => {
    const { discord, first, a, b } = await pair();
    first.isCut = true;
    await eventually(() => b.status().detail === 'connected');
    expect(discord.gateway.shards).toEqual(['0/1', '0/1']);
    const asked = discord.command('stats');
    await answered(asked);
    await eventually(() => discord.rest.counts.callback === 2);
    expect(asked.edits).toBe(1);
    first.isCut = false;
    await eventually(() => discord.gateway.shards.length === 1);
    expect([a.status(), b.status()]).toEqual([ELSEWHERE, HERE]);
    await answered(discord.command('stats'));
  });

  it("at one replica that knows it's alone with that means one connection", async () => {
    const { discord, first, a, b } = await pair();
    first.isCut = true;
    first.isAlone = true;
    await eventually(
      () => b.status().detail === 'connected' && discord.gateway.shards.length === 1,
    );
    expect([a.status(), b.status()]).toEqual([ELSEWHERE, HERE]);
    const asked = discord.command('stats');
    await answered(asked);
    expect(discord.rest.counts.callback).toBe(1);
    // Not while the store is unavailable: the set stays with the one that has it.
    await sleep(SOME_POLLS_MS);
    expect(discord.gateway.counts.identify).toBe(2);
    first.isCut = false;
    first.isAlone = false;
    await b.stop();
    await eventually(() => a.status().detail === 'connected');
    await answered(discord.command('stats'));
  });
});

describe('several sets of shards', () => {
  it('are shared by replicas, and all taken over by the remaining one', async () => {
    const bot = await testBot();
    const { gateway } = bot.discord;
    const fleet = new TestFleet();
    gateway.plan = { shards: 2, concurrency: 1 };
    const replicas = ['first', 'second'].map((id) => fleet.join(id));
    // Neither may have an advantage.
    for (const replica of replicas) replica.isCut = true;
    const both = replicas.map(({ options }) => bot.start(options));
    await eventually(() => replicas.every(({ asked }) => asked.size > 0));
    for (const replica of replicas) replica.isCut = false;
    const isUp = (adapter: DiscordAdapter) => adapter.status().detail === 'connected';
    await eventually(() => both.every(isUp));
    const ask = () => [
      bot.discord.command('stats'),
      bot.discord.command('stats', {}, { place: 'elsewhere' }),
    ];
    await answered(...ask());
    await sleep(SOME_POLLS_MS);
    expect([...gateway.shards].sort((x, y) => x.localeCompare(y))).toEqual(['0/2', '1/2']);
    expect(gateway.counts).toMatchObject({ sockets: 2, identify: 2 });
    await both[0]?.stop();
    // Discord may not know yet that the stopped one has left.
    await eventually(() => gateway.counts.identify >= 3 && new Set(gateway.shards).size === 2);
    await answered(...ask());
    expect(gateway.counts.identify).toBe(3);
  });

  it('are signed in one after the other, by any replica', async () => {
    const bot = await testBot();
    const { gateway } = bot.discord;
    const fleet = new TestFleet();
    gateway.plan = { shards: 4, concurrency: 1 };
    const timings = { ...QUICK, signIn: SIGN_IN_MS };
    for (const id of ['first', 'second']) bot.start({ ...fleet.join(id).options, timings });
    await eventually(() => new Set(gateway.shards).size === 4);
    expect(gateway.counts.identify).toBe(4);
    const apart = fleet.apart(TURN);
    expect(apart).toHaveLength(3);
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(ALMOST_MS);
  });

  it('waiting for their turn to sign in are given up by nobody', async () => {
    const bot = await testBot();
    const { gateway } = bot.discord;
    gateway.plan = { shards: 4, concurrency: 1 };
    const timings = { ...QUICK, signIn: SIGN_IN_MS, signInPatience: 100 };
    const lone = bot.start({ timings });
    await eventually(() => lone.status().ok);
    expect(gateway.counts).toMatchObject({ sockets: 4, identify: 4 });
    expect(worries(bot)).toEqual([]);
  });

  it('have as many shards as may sign in at once', async () => {
    const bot = await testBot();
    const { gateway } = bot.discord;
    gateway.plan = { shards: 5, concurrency: 4 };
    const fleet = new TestFleet();
    const timings = { ...QUICK, signIn: SIGN_IN_MS };
    const lone = bot.start({ ...fleet.join('lone').options, timings });
    await eventually(() => lone.status().ok);
    expect(gateway.shards.toSorted((x, y) => x.localeCompare(y))).toEqual(
      [0, 1, 2, 3, 4].map((shard) => `${shard}/5`),
    );
    expect(await fleet.work.hold('discord:shards:0-3/5', 'lone')).toBe(true);
    // Counting both the first and the last.
    const apart = fleet.apart(TURN);
    expect(apart).toHaveLength(1);
    expect(Math.min(...apart)).toBeGreaterThanOrEqual(ALMOST_MS);
  });
});

describe('a growing bot', () => {
  it('is reconnected by all replicas when Discord insists', async () => {
    const { discord, a, b } = await pair();
    const { gateway } = discord;
    gateway.plan = { shards: 2, concurrency: 1 };
    gateway.leastShards = 2;
    gateway.drop(4011);
    const isMoved = () => new Set(gateway.shards).size === 2 && !gateway.shards.includes('0/1');
    await eventually(() => isMoved() && a.status().ok && b.status().ok);
    await answered(discord.command('stats'), discord.command('stats', {}, { place: 'elsewhere' }));
    await sleep(SOME_POLLS_MS);
    expect(isMoved()).toBe(true);
    expect(gateway.counts.identify).toBe(3);
  });

  it('is reconnected when Discord recommends it', async () => {
    const { discord, a, b } = await pair({ timings: { ...QUICK, plan: 200 } });
    const { gateway } = discord;
    gateway.plan = { shards: 2, concurrency: 1 };
    await eventually(() => new Set(gateway.shards).size === 2 && !gateway.shards.includes('0/1'));
    await eventually(() => a.status().ok && b.status().ok);
    await answered(discord.command('stats'), discord.command('stats', {}, { place: 'elsewhere' }));
  });
});
