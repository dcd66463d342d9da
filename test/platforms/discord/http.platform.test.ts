import { generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '#base/errors';
import { en } from '#command/texts/en/index';
import { startDiscord } from '#platforms/discord/bot';
import type { Signed } from '../../../bench/servers/discord/http-delivery.ts';
import { snowflake } from '../../../bench/servers/discord/ids.ts';
import { GUILD, user } from '../../../bench/servers/discord/world.ts';
import { answererWith } from '../../support/ask.ts';
import { type HttpBot, type HttpReplica, httpBot, inTime } from '../../support/discord/http-bot.ts';
import { buttonOf, textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';
import { WHALE } from '../../support/fixed-source.ts';
import { silentLog } from '../../support/log.ts';

const PING = { type: 1, id: '1', application_id: '2', token: 'a', version: 1 };
const PONG = { status: 200, body: { type: 1 } };
const REFUSED = { status: 401, body: undefined };

const handled = ({ handle }: HttpReplica, { body, signature, timestamp }: Signed) =>
  handle(body, signature, timestamp);
const now = () => Math.floor(Date.now() / 1000);

describe('a request', () => {
  it('signed by Discord is answered, a PING with a PONG', async () => {
    const bot = await httpBot();
    const replica = await bot.replica();
    expect(await handled(replica, bot.discord.delivery.sign(PING))).toEqual(PONG);
  });

  const other = generateKeyPairSync('ed25519').privateKey;
  it.each<[string, (signed: Signed) => Partial<Record<keyof Signed, unknown>>]>([
    ['without a signature', () => ({ signature: undefined })],
    ['without a time', () => ({ timestamp: undefined })],
    ['with an empty signature', () => ({ signature: '' })],
    ['with a signature that is no hex', () => ({ signature: 'z'.repeat(128) })],
    ['with half a signature', ({ signature }) => ({ signature: signature.slice(0, 64) })],
    ['with more than a signature', ({ signature }) => ({ signature: `${signature}00` })],
    ['with a signature of nothing', () => ({ signature: '0'.repeat(128) })],
    ['with a signature that is off by one', ({ signature }) => ({ signature: flipped(signature) })],
    ['with another body', ({ body }) => ({ body: Buffer.concat([body, Buffer.from(' ')]) })],
    ['without a body', () => ({ body: Buffer.alloc(0) })],
    ['with another time', ({ timestamp }) => ({ timestamp: String(Number(timestamp) + 1) })],
    [
      'with a time before which a nought stands',
      ({ timestamp }) => ({ timestamp: `0${timestamp}` }),
    ],
    [
      'with a border elsewhere between time and body',
      ({ body, timestamp }) => ({
        body: Buffer.concat([Buffer.from(timestamp.slice(-1)), body]),
        timestamp: timestamp.slice(0, -1),
      }),
    ],
    [
      'signed with another key',
      ({ body, timestamp }) => ({
        signature: sign(null, Buffer.concat([Buffer.from(timestamp), body]), other).toString('hex'),
      }),
    ],
  ])('%s is rejected', async (_, wrong) => {
    const bot = await httpBot();
    const replica = await bot.replica();
    const signed = bot.discord.delivery.sign(PING);
    expect(await handled(replica, { ...signed, ...wrong(signed) } as Signed)).toEqual(REFUSED);
    expect(replica.adapter.status().detail).toContain('No interaction has arrived');
  });

  it.each([
    ['an hour old', -3600, REFUSED],
    ['a few minutes old', -180, REFUSED],
    ['a minute old', -60, PONG],
    ['a minute ahead', 60, PONG],
    ['a few minutes ahead', 180, REFUSED],
    ['of no time at all', Number.NaN, REFUSED],
    ['of a time that never comes', 1e15, REFUSED],
  ])('%s is answered accordingly', async (_, off, answer) => {
    const bot = await httpBot();
    const replica = await bot.replica();
    expect(await handled(replica, bot.discord.delivery.sign(PING, now() + off))).toEqual(answer);
  });

  it('of another time is left to the other replicas while this one stands aside, as for a wrong clock', async () => {
    const bot = await httpBot();
    const { work, inbox } = bot;
    const replica = { id: 'hours-off', work, inbox, leavesToOthers: () => true };
    const aside = await bot.replica({ replica });
    const old = bot.discord.delivery.sign(PING, now() - 3_600);
    expect(await handled(aside, old)).toEqual({ status: 503, body: undefined });
    const forged = { ...old, signature: '0'.repeat(128) };
    expect(await handled(aside, forged)).toEqual(REFUSED);
  });

  it('with a signature in capitals is answered', async () => {
    const bot = await httpBot();
    const replica = await bot.replica();
    const signed = bot.discord.delivery.sign(PING);
    const signature = signed.signature.toUpperCase();
    expect(await handled(replica, { ...signed, signature })).toEqual(PONG);
  });

  it('that only has the wrong time is reported to the operator once', async () => {
    const bot = await httpBot();
    const replica = await bot.replica();
    const old = () => bot.discord.delivery.sign(PING, now() - 900);
    for (let i = 0; i < 3; i++) await handled(replica, old());
    expect(times(bot, "machine's clock")).toBe(1);
    await handled(replica, bot.discord.delivery.sign(PING));
    await handled(replica, old());
    expect(times(bot, "machine's clock")).toBe(2);
  });

  it.each<[string, unknown]>([
    ['nothing', ''],
    ['no JSON', '{'],
    ['a number', 1],
    ['null', null],
    ['a list', [PING]],
    ['an object of nothing', {}],
    ['an interaction without an id', { ...PING, type: 2 }],
    ['a type that nobody knows', { ...PING, type: 99, id: '1456074443980899998' }],
    ['a type that is none', { ...PING, type: '2' }],
  ])('signed by Discord but %s gets an error that says so', async (_, event) => {
    const bot = await httpBot();
    const replica = await bot.replica();
    const answer = await handled(replica, bot.discord.delivery.sign(event));
    expect(answer).toEqual({ status: 400, body: undefined });
  });

  it('is rejected whatever it is, unless Discord signed it', async () => {
    const bot = await httpBot();
    const replica = await bot.replica();
    const { signature, timestamp } = bot.discord.delivery.sign(PING);
    const header = (right: string) => fc.oneof(fc.string(), fc.constant(right));
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array(),
        header(signature),
        header(timestamp),
        async (body, ...headers) => {
          expect(await replica.handle(Buffer.from(body), ...headers)).toEqual(REFUSED);
        },
      ),
    );
  });

  it('signed by Discord is answered whatever it contains', async () => {
    const bot = await httpBot();
    const outcomes: string[] = [];
    const replica = await bot.replica({
      hooks: { onCommand: (_, outcome) => outcomes.push(outcome) },
    });
    const asked = bot.discord.command('rep', { wallet: WHALE.address });
    await eventually(() => outcomes.length === 1);
    const event = bot.discord.eventOf(asked) as Readonly<Record<string, unknown>>;
    const part = fc.constantFrom('type', 'data', 'member', 'user', 'locale', 'message', 'guild_id');
    let taken = 1;
    await fc.assert(
      fc.asyncProperty(part, fc.jsonValue(), async (name, value) => {
        const signed = bot.discord.delivery.sign({ ...event, id: snowflake(), [name]: value });
        const { status } = await handled(replica, signed);
        expect([200, 400]).toContain(status);
        if (status === 200) taken += 1;
      }),
    );
    await eventually(() => outcomes.length === taken);
    const again = bot.discord.command('stats');
    await eventually(() => again.edits === 1);
  });
});

describe('a delivered interaction', () => {
  it('is answered by a deferral and one edit', async () => {
    const { discord, replica } = await httpBot();
    await replica();
    const rep = discord.command('rep', { wallet: WHALE.address });
    await eventually(() => rep.seen.length > 0);
    expect(rep.acknowledged).toBe(5);
    expect(rep.edits).toBe(1);
    expect(textOf(rep.seen[0])).toContain('7,420');
    expect(discord.rest.counts.callback).toBe(0);
  });

  it("is answered to the caller only if it's private, or an error", async () => {
    const { discord, replica } = await httpBot();
    await replica();
    const key = discord.command('apikey', { action: 'create', key: 'my site' });
    const wrong = discord.command('rep', { wallet: '0x12' });
    await eventually(() => key.seen.length > 0 && wrong.seen.length > 0);
    expect(key.seen.map(({ hidden }) => hidden)).toEqual([true]);
    expect(wrong.original).toMatchObject({ hidden: false, deleted: true });
    expect(wrong.whispers.map(({ hidden }) => hidden)).toEqual([true]);
  });

  it('may be a press, whose card replaces the one before', async () => {
    const { discord, replica } = await httpBot();
    await replica();
    const top = discord.command('top');
    await eventually(() => top.seen.length > 0);
    const [shown] = top.seen;
    if (shown === undefined) throw new Error('nothing is shown');
    const pressed = discord.press(shown, buttonOf(shown, '2 ›'));
    await eventually(() => pressed.edits === 1);
    expect(pressed.acknowledged).toBe(6);
    expect(textOf(shown)).toContain('Page 2');
    const stranger = discord.press(shown, buttonOf(shown, '‹ 1'), { by: user('stranger') });
    await eventually(() => stranger.whispers.length > 0);
    expect(stranger.acknowledged).toBe(4);
    expect(stranger.whispers[0]?.hidden).toBe(true);
    expect(stranger.edits).toBe(0);
  });

  it('may open a form and submit it', async () => {
    const { discord, replica } = await httpBot();
    await replica();
    const link = discord.command('link');
    await eventually(() => link.seen.length > 0);
    const [shown] = link.seen;
    if (shown === undefined) throw new Error('nothing is shown');
    const opened = discord.press(shown, buttonOf(shown, en.link.codeButton));
    await eventually(() => opened.form !== undefined);
    expect(opened.acknowledged).toBe(9);
    const sent = discord.submit(opened, '123 456');
    await eventually(() => sent.edits === 1);
    expect(sent.acknowledged).toBe(6);
  });

  it('may be typing, which is answered at once', async () => {
    const { discord, replica, inbox } = await httpBot();
    await replica();
    const held = Promise.withResolvers<void>();
    inbox.held = held.promise;
    const typed = discord.typing('rep', 'wallet', 'vera');
    await eventually(() => typed.choices !== undefined);
    expect(typed.choices?.[0]?.value).toBe(WHALE.address);
    held.resolve();
  });

  it('gets no choices rather than none in time', async () => {
    const { discord, replica } = await httpBot();
    const answerer = answererWith();
    const hanging = await replica({
      answerer: {
        commands: answerer.commands,
        commandNamed: (name) => answerer.commandNamed(name),
        answer: (question) => answerer.answer(question),
        suggestBadges: () => [],
        suggest: () => new Promise(() => {}),
      },
    });
    discord.delivery.urls = [];
    const typed = discord.typing('rep', 'wallet', 'vera');
    const answer = await inTime(hanging, discord.delivery.sign(discord.eventOf(typed)));
    expect(discord.delivery.take(typed, answer)).toBe(true);
    expect(typed.choices).toEqual([]);
  });

  it('is edited once Discord knows of the deferral, which takes it a moment', async () => {
    const { discord, replica } = await httpBot();
    await replica();
    discord.delivery.delay = 1_200;
    const asked = discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(asked.edits).toBe(1);
    expect(discord.rest.counts.edit).toBeLessThan(6);
  });

  it('is counted, with the time until its acknowledgement was sent', async () => {
    const { discord, replica } = await httpBot();
    const counted: string[] = [];
    const acknowledged: number[] = [];
    await replica({
      hooks: {
        onCommand: (name, outcome) => counted.push(`${name} ${outcome}`),
        onAcknowledged: (seconds) => acknowledged.push(seconds),
      },
    });
    discord.command('stats');
    discord.typing('rep', 'wallet', 'vera');
    await eventually(() => counted.length === 2);
    expect(new Set(counted)).toEqual(new Set(['autocomplete answered', 'stats answered']));
    expect(acknowledged).toHaveLength(1);
  });
});

describe('without a gateway', () => {
  it('roles are granted and commands registered all the same, and no socket is opened', async () => {
    const { discord, replica } = await httpBot();
    const { adapter } = await replica();
    const { id } = discord.guild.addMember('vera');
    expect(await adapter.communityAdapter.member(GUILD, id)).toMatchObject({ id });
    expect(discord.rest.counts.register).toBe(1);
    expect(discord.gateway.counts.sockets).toBe(0);
    expect(discord.rest.counts.gateway).toBe(0);
  });

  it('it says what to enter at Discord, and when that was done', async () => {
    const bot = await httpBot();
    const { adapter } = await bot.replica();
    expect(adapter.status()).toMatchObject({
      ok: true,
      detail: expect.stringContaining('PUBLIC_URL'),
    });
    expect(times(bot, 'PUBLIC_URL')).toBe(1);
    const asked = bot.discord.command('stats');
    await eventually(() => asked.seen.length > 0);
    expect(adapter.status()).toEqual({ ok: true, detail: 'receiving interactions by HTTP' });
    const url = 'https://rep.example.org/discord/interactions';
    bot.discord.rest.application = {
      ...bot.discord.rest.application,
      interactions_endpoint_url: url,
    };
    const second = await bot.replica();
    expect(second.adapter.status().detail).toContain(url);
    expect(times(bot, 'PUBLIC_URL')).toBe(1);
  });

  it('it says if the key belongs to another application', async () => {
    const bot = await httpBot();
    bot.discord.rest.application = {
      ...bot.discord.rest.application,
      verify_key: 'ab'.repeat(32),
    };
    const adapter = bot.start({ http: { publicKey: bot.discord.delivery.publicKey } });
    await eventually(() => adapter.status().detail.includes('DISCORD_PUBLIC_KEY'));
    expect(adapter.status().ok).toBe(false);
    expect(times(bot, 'DISCORD_PUBLIC_KEY')).toBe(1);
  });

  it('a wrong token is logged once, and deliveries are answered all the same', async () => {
    const bot = await httpBot();
    const token = 'bm90LXRoZS10b2tlbg.wrong.0123456789';
    const { publicKey } = bot.discord.delivery;
    const adapter = bot.start({ token, http: { publicKey } });
    await eventually(() => adapter.status().detail.includes('rejects the token'));
    expect(adapter.status().ok).toBe(false);
    expect(times(bot, 'rejects the token')).toBe(1);
    expect(bot.discord.rest.counts.me).toBe(1);
    const signed = bot.discord.delivery.sign(PING);
    expect(
      await adapter.handleInteraction?.(signed.body, signed.signature, signed.timestamp),
    ).toEqual(PONG);
  });

  it("Discord's faults are waited out", async () => {
    const bot = await httpBot();
    bot.discord.rest.upset('application', { status: 503 }, 4);
    bot.discord.rest.upset('me', 'drop', 3);
    const { adapter } = await bot.replica();
    expect(adapter.status().ok).toBe(true);
    expect(times(bot, 'connected again')).toBe(1);
  });

  it.each(['', '00', 'zz'.repeat(32), 'ab'.repeat(33)])('the key %j is invalid', (publicKey) => {
    const start = () =>
      startDiscord({
        token: 'none',
        http: { publicKey },
        answerer: answererWith(),
        log: silentLog,
      });
    expect(start).toThrow(UserError);
    expect(start).toThrow('64 hex digits');
  });
});

/** How many log lines at the default level contain these words. */
function times({ said }: HttpBot, words: string): number {
  return said().filter((line) => line.includes(words)).length;
}

/** The signature with a different last digit. */
function flipped(signature: string): string {
  return signature.slice(0, -1) + (signature.endsWith('0') ? '1' : '0');
}
