import { describe, expect, it } from 'vitest';
import { INTENTS } from '../../../bench/servers/discord/gateway.ts';
import { QUICK, type TestBot, testBot } from '../../support/discord/bot.ts';
import { eventually } from '../../support/eventually.ts';

async function answers({ discord }: TestBot): Promise<void> {
  const asked = discord.command('stats');
  await eventually(() => asked.seen.length > 0);
}

/** How often something was logged above debug level. */
function times({ said }: TestBot, words: string): number {
  return said().filter((line) => line.includes(words)).length;
}

/** The wait until the next attempt, in seconds, as logged with these words. */
function toldWait({ lines }: TestBot, words: string): unknown {
  const line = lines.find(({ level, message }) => level !== 'debug' && message.includes(words));
  return line?.fields.nextTrySeconds;
}

describe('the gateway', () => {
  it("subscribes to servers only, and reports when it's connected", async () => {
    const bot = await testBot();
    const events: string[] = [];
    const adapter = bot.start({ hooks: { onGateway: (event) => events.push(event) } });
    expect(adapter.status()).toEqual({ ok: false, detail: 'connecting' });
    await eventually(() => adapter.status().ok);
    expect(adapter.status().detail).toBe('connected');
    expect(events).toEqual(['up']);
    expect(bot.discord.gateway.intents).toBe(INTENTS.guilds | INTENTS.moderation);
    expect(bot.discord.gateway.counts).toMatchObject({ sockets: 1, identify: 1, resume: 0 });
  });

  it('that drops is resumed, and commands from that time are answered', async () => {
    const bot = await testBot();
    const adapter = await bot.up();
    bot.discord.gateway.drop();
    await eventually(() => !adapter.status().ok);
    const asked = bot.discord.command('stats');
    await eventually(() => adapter.status().ok);
    await eventually(() => asked.seen.length > 0);
    expect(bot.discord.gateway.counts).toMatchObject({ identify: 1, resume: 1 });
  });

  it('that asks to reconnect is resumed', async () => {
    const bot = await testBot();
    const adapter = await bot.up();
    bot.discord.gateway.askToReconnect();
    await eventually(() => bot.discord.gateway.counts.resume >= 1 && adapter.status().ok);
    await answers(bot);
  });

  it('that forgot the session gets a new sign-in', async () => {
    const bot = await testBot();
    const adapter = await bot.up();
    bot.discord.gateway.forget();
    bot.discord.gateway.drop();
    await eventually(() => bot.discord.gateway.counts.identify >= 2 && adapter.status().ok);
    await answers(bot);
  });

  it('that invalidates the session gets a new sign-in', async () => {
    const bot = await testBot();
    const adapter = await bot.up();
    bot.discord.gateway.invalidate(false);
    await eventually(() => bot.discord.gateway.counts.identify >= 2 && adapter.status().ok);
    await answers(bot);
  });

  it('that stops acknowledging heartbeats is left and resumed', async () => {
    const bot = await testBot();
    bot.discord.gateway.heartbeatInterval = 60;
    bot.discord.gateway.deaf = true;
    const adapter = await bot.up();
    await eventually(() => bot.discord.gateway.counts.resume > 0);
    bot.discord.gateway.deaf = false;
    await eventually(() => adapter.status().ok);
    await answers(bot);
  });

  it('that is unreachable is retried, logged once, and recovers on its own', async () => {
    const bot = await testBot();
    bot.discord.gateway.shut = true;
    const adapter = bot.start({ timings: { ...QUICK, away: 500 } });
    await eventually(() => bot.discord.rest.counts.gateway >= 3);
    expect(adapter.status()).toEqual({
      ok: false,
      detail: expect.stringContaining("Can't reach Discord"),
    });
    expect(times(bot, "Can't reach Discord")).toBe(1);
    bot.discord.gateway.shut = false;
    await eventually(() => adapter.status().ok);
    expect(times(bot, 'connected again')).toBe(1);
    await answers(bot);
  });

  it('that is away for long is left for another connection', async () => {
    const bot = await testBot();
    const adapter = await bot.up({ timings: { ...QUICK, away: 700 } });
    // A busy machine may have looked like such a gateway before.
    const before = times(bot, "Can't reach Discord");
    const { identify } = bot.discord.gateway.counts;
    bot.discord.gateway.shut = true;
    bot.discord.gateway.drop();
    await eventually(() => times(bot, "Can't reach Discord") > before);
    bot.discord.gateway.shut = false;
    await eventually(() => adapter.status().ok);
    expect(bot.discord.gateway.counts.identify).toBeGreaterThan(identify);
    expect(bot.discord.gateway.counts.resume).toBe(0);
  });

  it.each([
    [503, 'internal error'],
    [403, 'rejects our requests'],
  ])('whose URL fails with %i is fetched again', async (status, words) => {
    const bot = await testBot();
    bot.discord.rest.upset('gateway', { status, body: { code: 0, message: 'no' } }, 4);
    const adapter = bot.start({ timings: { ...QUICK, patience: 0 } });
    await eventually(() => adapter.status().ok);
    expect(times(bot, words)).toBe(1);
  });
});

describe('what only people can fix', () => {
  it('a wrong token is logged once, in words, and rarely retried', async () => {
    const bot = await testBot();
    const events: string[] = [];
    const adapter = bot.start({
      token: 'bm90LXRoZS10b2tlbg.wrong.0123456789',
      hooks: { onGateway: (event) => events.push(event) },
    });
    await eventually(() => events.length > 0);
    expect(events).toEqual(['token']);
    expect(adapter.status().ok).toBe(false);
    expect(adapter.status().detail).toContain('DISCORD_TOKEN');
    expect(times(bot, 'rejects the token')).toBe(1);
    expect(toldWait(bot, 'rejects the token')).toBeGreaterThanOrEqual(300);
    expect(JSON.stringify(bot.lines)).not.toContain('wrong.0123456789');
    expect(bot.discord.rest.counts.gateway).toBe(1);
    expect(bot.discord.gateway.counts.identify).toBe(0);
  });

  it.each([
    [4004, 'rejects the token'],
    [4014, 'rejects the intents'],
    [4013, 'rejects the intents'],
    [4011, 'resharding'],
    [4012, 'closed the gateway for good'],
  ])("a sign-in rejected with %i isn't repeated soon", async (code, words) => {
    const bot = await testBot();
    bot.discord.gateway.refuseWith = code;
    const adapter = bot.start();
    await eventually(() => times(bot, words) === 1);
    expect(adapter.status().ok).toBe(false);
    expect(adapter.status().detail).toContain(words);
    expect(toldWait(bot, words)).toBeGreaterThanOrEqual(60);
    expect(bot.discord.gateway.counts.identify).toBe(1);
  });

  it.each([4004, 4014])("a live connection closed with %i isn't up any more", async (code) => {
    const bot = await testBot();
    const adapter = await bot.up();
    bot.discord.gateway.drop(code);
    await eventually(() => adapter.status().detail.includes('rejects'));
    expect(adapter.status().ok).toBe(false);
    expect(bot.discord.gateway.counts.identify).toBe(1);
  });

  it('recovers without a restart', async () => {
    const bot = await testBot();
    bot.discord.gateway.refuseWith = 4014;
    const adapter = bot.start({ timings: { ...QUICK, patience: 0 } });
    await eventually(() => bot.discord.gateway.counts.identify >= 3);
    bot.discord.gateway.refuseWith = undefined;
    await eventually(() => adapter.status().ok);
    expect(times(bot, 'rejects the intents')).toBe(1);
    expect(times(bot, 'connected again')).toBe(1);
  });

  it('a token revoked while commands are registered ends the connection', async () => {
    const bot = await testBot();
    bot.discord.rest.upset('list', {
      status: 401,
      body: { code: 0, message: '401: Unauthorized' },
    });
    const adapter = bot.start();
    await eventually(() => adapter.status().detail.includes('rejects the token'));
    expect(bot.discord.gateway.counts.identify).toBe(1);
  });

  it('with no sign-ins left, it waits for more', async () => {
    const bot = await testBot();
    bot.discord.rest.signInsLeft = 0;
    const adapter = bot.start();
    await eventually(() => adapter.status().detail.includes('1,000 sign-ins'));
    expect(toldWait(bot, '1,000 sign-ins')).toBeGreaterThan(14_000);
    expect(bot.discord.gateway.counts.identify).toBe(0);
  });

  it("sessions invalidated over and over don't use up the sign-ins", async () => {
    const bot = await testBot();
    const adapter = bot.start({ timings: { ...QUICK, signIn: 200, signInPatience: 100 } });
    const givenUp = () => times(bot, '1,000 sign-ins') > 0;
    while (!givenUp()) {
      await eventually(() => adapter.status().ok || givenUp());
      bot.discord.gateway.invalidate(false);
      await eventually(() => !adapter.status().ok || givenUp());
    }
    expect(bot.discord.gateway.counts.identify).toBeLessThan(8);
  });
});
