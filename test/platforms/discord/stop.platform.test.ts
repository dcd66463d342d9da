import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { stats } from '#commands/stats';
import { answererWith } from '../../support/ask.ts';
import { QUICK, testBot } from '../../support/discord/bot.ts';
import { eventually } from '../../support/eventually.ts';

/** discord.js reconnects half a second after losing a socket; this is well beyond. */
const LONGER_THAN_A_RECONNECT_MS = 1_200;

/** `/stats`, which waits until it's released. */
function slowAnswerer() {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const slow: typeof stats = {
    ...stats,
    async run(...given) {
      await released;
      return stats.run(...given);
    },
  };
  return { answerer: answererWith({ commands: [slow] }), release };
}

describe('stopping', () => {
  it('finishes commands in flight and accepts nothing new', async () => {
    const { discord, up } = await testBot();
    const { answerer, release } = slowAnswerer();
    const adapter = await up({ answerer });
    const before = discord.command('stats');
    await eventually(() => before.acknowledged !== undefined);
    const stopped = adapter.stop();
    const after = discord.command('stats');
    release();
    await stopped;
    expect(before.edits).toBe(1);
    expect(after.acknowledged).toBeUndefined();
    expect(adapter.status()).toEqual({ ok: false, detail: 'stopped' });
    await eventually(() => discord.gateway.open === 0);
  });

  it("doesn't wait forever", async () => {
    const { discord, up } = await testBot();
    const { answerer } = slowAnswerer();
    const adapter = await up({ answerer, timings: { ...QUICK, drain: 50 } });
    const asked = discord.command('stats');
    await eventually(() => asked.acknowledged !== undefined);
    await adapter.stop();
    expect(asked.edits).toBe(0);
    await eventually(() => discord.gateway.open === 0);
  });

  it('may be requested twice, and before it ever connected', async () => {
    const { discord, start } = await testBot();
    const adapter = start();
    await Promise.all([adapter.stop(), adapter.stop()]);
    await sleep(LONGER_THAN_A_RECONNECT_MS);
    expect(discord.gateway.open).toBe(0);
    expect(discord.gateway.counts.identify).toBe(0);
  });

  it('is final during a sign-in', async () => {
    const { discord, start } = await testBot();
    const adapter = start();
    await eventually(() => discord.gateway.counts.sockets >= 1);
    await adapter.stop();
    const { sockets } = discord.gateway.counts;
    await sleep(LONGER_THAN_A_RECONNECT_MS);
    expect(discord.gateway.counts.sockets).toBe(sockets);
    expect(discord.gateway.open).toBe(0);
  });

  it.each([
    ['without a word', undefined],
    ['with a code', 4000],
  ])('is final after a socket was lost %s', async (_, code) => {
    const { discord, up } = await testBot();
    const adapter = await up();
    discord.gateway.drop(code);
    await eventually(() => !adapter.status().ok);
    await adapter.stop();
    await sleep(LONGER_THAN_A_RECONNECT_MS);
    expect(discord.gateway.open).toBe(0);
    expect(discord.gateway.counts).toMatchObject({ sockets: 1, identify: 1, resume: 0 });
  });

  it('is final while the gateway is unreachable', async () => {
    const { discord, start } = await testBot();
    discord.gateway.shut = true;
    const adapter = start();
    await eventually(() => discord.rest.counts.gateway > 0);
    await adapter.stop();
    discord.gateway.shut = false;
    await sleep(LONGER_THAN_A_RECONNECT_MS);
    // A socket that was being opened may still have connected, and is closed.
    expect(discord.gateway.open).toBe(0);
    expect(discord.gateway.counts.identify).toBe(0);
  });
});
