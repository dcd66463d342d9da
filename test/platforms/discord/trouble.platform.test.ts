import { HTTPError, RateLimitError } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { apikey } from '#commands/apikey';
import { stats } from '#commands/stats';
import { atOnce, late } from '#platforms/discord/interactions/answers';
import { answererWith } from '../../support/ask.ts';
import { QUICK, testBot } from '../../support/discord/bot.ts';
import { buttonOf, textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';
import { patienceMs } from '../../support/patience.ts';

const EN = textsFor('en');

/** As discord.js tells of a rate limit. */
function limitOf(seconds: number): RateLimitError {
  const milliseconds = seconds * 1_000;
  return new RateLimitError({
    ...{ timeToReset: milliseconds, retryAfter: milliseconds, sublimitTimeout: 0, limit: 5 },
    ...{ method: 'POST', hash: '', url: '', route: '', majorParameter: '', global: false },
    scope: 'user',
  });
}

const MALFORMED = { status: 400, body: { code: 50035, message: 'Invalid Form Body' } };

/** An answerer that is called, but whose cards can't be shown. */
const broken = () => {
  const answerer = answererWith();
  return {
    commands: answerer.commands,
    commandNamed: (name: string) => answerer.commandNamed(name),
    suggestBadges: () => [],
    suggest: () => Promise.resolve([]),
    answer: () => Promise.reject(new Error('broken')),
  };
};

describe('a failed response', () => {
  it('with 503 or a dropped socket is retried', async () => {
    const { discord, up } = await testBot();
    await up();
    discord.rest.upset('callback', { status: 503 });
    discord.rest.upset('edit', 'drop');
    discord.rest.upset('edit', { status: 502 });
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(discord.rest.counts).toMatchObject({ callback: 2, edit: 3 });
  });

  it('after an acknowledgement that arrived is ignored', async () => {
    const { discord, up } = await testBot();
    await up();
    discord.rest.upset('callback', 'lose-answer');
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(asked.edits).toBe(1);
  });

  it('after an acknowledgement that took too long is settled by asking', async () => {
    const { discord, up } = await testBot();
    const outcomes: string[] = [];
    const onCommand = (name: string, outcome: string) => void outcomes.push(`${name} ${outcome}`);
    await up({ hooks: { onCommand }, timings: { ...QUICK, acknowledge: patienceMs(1_000) } });
    discord.rest.upset('callback', 'withhold-answer');
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect([asked.edits, discord.rest.counts.callback]).toEqual([1, 1]);
    discord.rest.upset('callback', 'silence');
    const unheard = discord.command('stats');
    await eventually(() => outcomes.length > 1);
    expect(outcomes).toEqual(['stats answered', 'stats failed']);
    expect([unheard.acknowledged, unheard.edits]).toEqual([undefined, 0]);
  });

  it('with 429 is waited out', async () => {
    const { discord, up } = await testBot();
    await up();
    const body = { message: 'You are being rate limited.', retry_after: 0.05, global: false };
    const headers = { 'retry-after': '0.05', 'x-ratelimit-scope': 'shared' };
    discord.rest.upset('edit', { status: 429, body, headers });
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(discord.rest.counts.edit).toBe(2);
  });

  it("with a distant rate limit reset isn't waited for", async () => {
    const { discord, up } = await testBot();
    const outcomes: string[] = [];
    await up({ hooks: { onCommand: (name, outcome) => outcomes.push(`${name} ${outcome}`) } });
    const body = { message: 'You are being rate limited.', retry_after: 3600, global: false };
    discord.rest.upset('edit', { status: 429, body, headers: { 'retry-after': '3600' } });
    discord.command('stats');
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['stats failed']);
  });

  it('of a private answer is retried for as long as an outage may last', async () => {
    const { discord, up } = await testBot();
    const outcomes: string[] = [];
    await up({ hooks: { onCommand: (name, outcome) => outcomes.push(`${name} ${outcome}`) } });
    // Its public “thinking…” is gone by then: without this message the member would have nothing.
    discord.rest.upset('whisper', { status: 503 }, 4);
    const asked = discord.command('rep', { wallet: 'no wallet' });
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['rep answered']);
    expect(asked.seen.map(({ hidden }) => hidden)).toEqual([true]);
  });

  it.each([
    ['minutes of a rate limit', limitOf(290), 300_000, true],
    ['more of it than the answer is worth', limitOf(290), 320_000, false],
    ['a short outage', new HTTPError(503, 'Unavailable', 'PATCH', '', {}), 100_000, true],
    ['a longer one', new HTTPError(503, 'Unavailable', 'PATCH', '', {}), 120_001, false],
    ['a refusal', new HTTPError(400, 'Bad Request', 'PATCH', '', {}), 0, false],
  ])('because of %s: an answer waits, or is given up', (_, error, waited, waits) => {
    const pause = late(error, 20, waited);
    expect(pause !== undefined).toBe(waits);
    if (waits && error instanceof RateLimitError) expect(pause).toBe(290_000);
    expect(atOnce(error, 4, 0)).toBeUndefined();
  });

  it.each([
    ['an expired interaction', 404, 10062],
    ['one that another process has acknowledged', 400, 40060],
  ])('%s is dropped silently', async (_, status, code) => {
    const { discord, up, said } = await testBot();
    const outcomes: string[] = [];
    await up({ hooks: { onCommand: (name, outcome) => outcomes.push(`${name} ${outcome}`) } });
    const before = said();
    discord.rest.upset('callback', { status, body: { code, message: 'gone' } });
    discord.command('stats');
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['stats expired']);
    expect(discord.rest.counts.edit).toBe(0);
    expect(said()).toEqual(before);
  });

  it.each([
    ['deleted message', 404, 10008],
    ['token that has run out', 401, 50027],
    ['channel without access', 403, 50001],
  ])('a %s is dropped silently', async (_, status, code) => {
    const { discord, up, said } = await testBot();
    const outcomes: string[] = [];
    const adapter = await up({ hooks: { onCommand: (_name, outcome) => outcomes.push(outcome) } });
    const before = said();
    discord.rest.upset('edit', { status, body: { code, message: 'gone' } });
    discord.command('stats');
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['expired']);
    expect(said()).toEqual(before);
    expect(adapter.status().ok).toBe(true);
  });

  it('for an interaction that expired in Discord is dropped', async () => {
    const { discord, up } = await testBot();
    const outcomes: string[] = [];
    await up({ hooks: { onCommand: (_name, outcome) => outcomes.push(outcome) } });
    discord.command('stats', {}, { expired: true });
    await eventually(() => outcomes.length > 0);
    expect(outcomes).toEqual(['expired']);
  });

  it('for a card that Discord rejects as components is an embed', async () => {
    const { discord, up, said } = await testBot();
    await up();
    discord.rest.upset('edit', MALFORMED);
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(asked.seen[0]?.body.embeds).toHaveLength(1);
    expect(textOf(asked.seen[0])).toContain(EN.stats.byTier);
    expect(said().at(-1)).toContain('Discord rejected components');
  });

  it('on a message of components stays one, with an apology', async () => {
    const { discord, up } = await testBot();
    await up();
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    const shown = asked.seen[0];
    discord.rest.upset('edit', MALFORMED);
    const pressed = discord.press(shown!, buttonOf(shown, 'Leaderboard'));
    await eventually(() => pressed.whispers.length + pressed.edits > 0);
    expect(textOf(pressed.seen.at(-1))).toContain(EN.errors.bug);
    expect(pressed.seen.every(({ body }) => body.embeds === undefined)).toBe(true);
  });

  it('on an embed of ours from before takes its place as components', async () => {
    const { discord, up } = await testBot();
    await up();
    discord.rest.upset('edit', MALFORMED);
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    const shown = asked.seen[0];
    const pressed = discord.press(shown!, buttonOf(shown, 'Leaderboard'));
    await eventually(() => pressed.edits > 0);
    expect(shown?.body).toMatchObject({ content: null, embeds: null, flags: 1 << 15 });
    expect(textOf(shown)).toMatch(/^### 🌊 Leaderboard/);
  });

  it('for a card that Discord calls malformed in any form is replaced by an apology', async () => {
    const { discord, up, said } = await testBot();
    await up();
    discord.rest.upset('edit', MALFORMED, 2);
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(textOf(asked.seen[0])).toContain(EN.errors.bug);
    expect(said().at(-1)).toContain('bug:');
  });

  it('a throwing answerer ends neither the process nor the next answer', async () => {
    const { discord, up } = await testBot();
    const outcomes: string[] = [];
    await up({
      answerer: broken(),
      hooks: { onCommand: (_name, outcome) => outcomes.push(outcome) },
    });
    const asked = discord.command('stats');
    await eventually(() => outcomes.length > 0);
    expect(textOf(asked.seen[0])).toContain(EN.errors.bug);
    expect(outcomes).toEqual(['failed']);
  });

  it("a failing command gets a private apology if it's private", async () => {
    const { discord, up } = await testBot();
    const run = () => {
      throw new Error('a bug');
    };
    const commands = [
      { ...stats, run },
      { ...apikey, run },
    ];
    await up({ answerer: answererWith({ commands }) });
    const open = discord.command('stats');
    const hidden = discord.command('apikey');
    await eventually(() => open.seen.length > 0 && hidden.seen.length > 0);
    expect(hidden.seen.map((shown) => shown.hidden)).toEqual([true]);
    expect(textOf(hidden.seen[0])).toContain(EN.errors.bug);
    expect(textOf(open.seen.at(-1))).toContain(EN.errors.bug);
  });
});
