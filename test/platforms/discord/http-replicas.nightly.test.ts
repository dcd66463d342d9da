import { describe, expect, it, vi } from 'vitest';
import { RetryableError } from '#base/errors';
import type { InboxStore } from '#cluster/inbox';
import { en } from '#command/texts/en/index';
import { commands } from '#commands/index';
import { stats } from '#commands/stats';
import type { StandInInteraction } from '../../../bench/servers/discord/interaction.ts';
import { tooMany } from '../../../bench/servers/discord/limits.ts';
import { answererWith, fixedKeys } from '../../support/ask.ts';
import { QUICK } from '../../support/discord/bot.ts';
import { type HttpBot, type HttpReplica, httpBot, inTime } from '../../support/discord/http-bot.ts';
import { textOf } from '../../support/discord/read.ts';
import { eventually } from '../../support/eventually.ts';

/** An answerer that never answers, as in a process that is killed meanwhile. */
const stuck = () => ({ ...answererOnly(), answer: () => new Promise<never>(() => {}) });
/** Nothing waits for a dead replica's work. */
const DEAD = { ...QUICK, drain: 10 };

function answererOnly() {
  const answerer = answererWith();
  return {
    commands: answerer.commands,
    commandNamed: (name: string) => answerer.commandNamed(name),
    answer: (...question: Parameters<typeof answerer.answer>) => answerer.answer(...question),
    suggestBadges: () => [],
    suggest: (...typed: Parameters<typeof answerer.suggest>) => answerer.suggest(...typed),
  };
}

/** Delivers an interaction to a replica as if for the first time. */
async function deliver({ discord }: HttpBot, asked: StandInInteraction, { url }: HttpReplica) {
  return discord.delivery.send(url, discord.delivery.sign(discord.eventOf(asked)));
}

describe('one interaction', () => {
  it('delivered to two replicas at once is answered by one', async () => {
    const bot = await httpBot();
    const outcomes: string[] = [];
    const hooks = { onCommand: (name: string) => outcomes.push(name) };
    const first = await bot.replica({ hooks });
    const second = await bot.replica({ hooks });
    bot.discord.delivery.urls = [first.url];
    for (let i = 0; i < 10; i++) {
      const asked = bot.discord.command('stats');
      const [, other] = await Promise.all([
        eventually(() => asked.seen.length > 0),
        deliver(bot, asked, second),
      ]);
      expect(JSON.parse(other.text)).toEqual({ type: 5 });
      expect(asked.edits).toBe(1);
    }
    await eventually(() => outcomes.length >= 10 && bot.inbox.unsettled === 0);
    expect(outcomes).toHaveLength(10);
  });

  it.each([
    ['stats', { type: 5 }],
    ['apikey', { type: 5, data: { flags: 64 } }],
  ])(
    '/%s delivered again later gets the same deferral, and nothing else',
    async (name, deferral) => {
      const bot = await httpBot();
      const first = await bot.replica();
      const second = await bot.replica();
      const asked = bot.discord.command(name);
      await eventually(() => asked.edits === 1 && bot.inbox.unsettled === 0);
      // One that came before Discord knew of the deferral was refused, and sent again.
      const { edit } = bot.discord.rest.counts;
      for (const replica of [first, second]) {
        const { status, text } = await deliver(bot, asked, replica);
        expect(status).toBe(200);
        expect(JSON.parse(text)).toEqual(deferral);
      }
      expect(asked.edits).toBe(1);
      expect(bot.discord.rest.counts).toMatchObject({ edit, whisper: 0 });
    },
  );

  it('of a replica that dies is answered by another', async () => {
    const bot = await httpBot();
    const first = await bot.replica({ answerer: stuck(), timings: DEAD });
    await bot.replica();
    const asked = bot.discord.command('stats');
    await eventually(() => asked.acknowledged === 5);
    bot.bury(first.id);
    await eventually(() => asked.edits === 1 && bot.inbox.unsettled === 0);
    expect(textOf(asked.seen[0])).toContain('Statistics');
  });

  it("of a replica that dies before responding is answered where it's delivered next", async () => {
    const bot = await httpBot();
    const first = await bot.replica({ answerer: stuck(), timings: DEAD });
    const second = await bot.replica();
    bot.discord.delivery.urls = [];
    const asked = bot.discord.command('stats');
    await deliver(bot, asked, first);
    first.cut();
    expect(bot.discord.delivery.take(asked, await deliver(bot, asked, second))).toBe(true);
    // Not earlier: the answer must not be ready before the deferral that it replaces.
    bot.bury(first.id);
    await eventually(() => asked.edits === 1 && bot.inbox.unsettled === 0);
  });

  it("whose response never reached Discord isn't retried over and over", async () => {
    const bot = await httpBot();
    const first = await bot.replica({ answerer: stuck(), timings: DEAD });
    bot.discord.delivery.urls = [];
    await bot.replica();
    bot.discord.delivery.urls = [];
    const asked = bot.discord.command('stats');
    await deliver(bot, asked, first);
    bot.bury(first.id);
    await eventually(() => bot.inbox.unsettled === 0);
    expect(bot.discord.rest.counts.edit).toBe(1);
    expect(bot.discord.rest.counts.look).toBe(1);
    expect(asked.edits).toBe(0);
  });

  it('whose answer is shown stays as it is, although the replica died before recording it', async () => {
    const bot = await httpBot();
    const first = await bot.replica({ timings: DEAD });
    const settle = bot.inbox.settle.bind(bot.inbox);
    bot.inbox.settle = () => new Promise(() => {});
    const asked = bot.discord.command('apikey', { action: 'create', key: 'my site' });
    await eventually(() => asked.edits === 1);
    bot.inbox.settle = settle;
    bot.bury(first.id);
    await bot.replica();
    await eventually(() => bot.inbox.unsettled === 0);
    expect(asked.edits).toBe(1);
    expect(textOf(asked.seen[0])).toContain('fth_');
  });

  it('that is too old to be answered is dropped', async () => {
    const bot = await httpBot();
    const first = await bot.replica({ answerer: stuck(), timings: DEAD });
    const asked = bot.discord.command('stats');
    await eventually(() => asked.acknowledged === 5);
    bot.bury(first.id);
    await bot.replica({ clock: () => Date.now() + 14 * 60_000 });
    await eventually(() => bot.inbox.unsettled === 0);
    expect(bot.discord.rest.counts.edit).toBe(0);
  });

  it('is shown to its caller although the replica died between hiding and showing it', async () => {
    const bot = await httpBot();
    const first = await bot.replica({ timings: DEAD });
    await bot.replica();
    bot.discord.rest.upset('whisper', 'silence');
    const asked = bot.discord.command('rep', { wallet: '0x12' });
    await eventually(() => bot.discord.rest.counts.whisper === 1);
    bot.bury(first.id);
    await eventually(() => asked.whispers.length === 1);
    expect(asked.seen.map(({ hidden }) => hidden)).toEqual([true]);
  });

  it("of a suspended replica isn't answered again when it wakes up", async () => {
    const bot = await httpBot();
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const outcomes: string[] = [];
    const hooks = { onCommand: (_: string, outcome: string) => outcomes.push(outcome) };
    const first = await bot.replica({ answerer: slow(released), hooks });
    await bot.replica();
    const asked = bot.discord.command('stats');
    await eventually(() => asked.acknowledged === 5);
    bot.bury(first.id);
    await eventually(() => asked.edits === 1 && bot.inbox.unsettled === 0);
    release();
    await eventually(() => outcomes.length === 1);
    expect(outcomes).toEqual(['expired']);
    expect(asked.edits).toBe(1);
    expect(bot.discord.rest.counts).toMatchObject({ edit: 1, whisper: 0 });
  });

  it("that changes something isn't run twice, and its caller is told how to check", async () => {
    const bot = await httpBot();
    const keys = fixedKeys();
    const answerer = answererWith({ keysOf: () => keys });
    const first = await bot.replica({
      timings: DEAD,
      answerer: {
        ...answererOnly(),
        async answer(question) {
          await answerer.answer(question);
          return new Promise<never>(() => {});
        },
      },
    });
    await bot.replica({ answerer });
    const asked = bot.discord.command('apikey', { action: 'create', key: 'my site' });
    await eventually(() => asked.acknowledged === 5);
    bot.bury(first.id);
    await eventually(() => asked.edits === 1);
    expect(await keys.list()).toHaveLength(1);
    expect(textOf(asked.seen[0])).toContain(en.chat.maybeDoneTitle);
    expect(textOf(asked.seen[0])).toContain('/apikey list');
    expect(asked.seen[0]?.hidden).toBe(true);
  });
});

describe('an inbox', () => {
  it('that hangs delays no answer, and is updated later', async () => {
    const bot = await httpBot();
    const { delivery } = bot.discord;
    const replica = await bot.replica();
    let release: () => void = () => {};
    bot.inbox.held = new Promise((resolve) => {
      release = resolve;
    });
    const { urls } = delivery;
    delivery.urls = [];
    const asked = bot.discord.command('stats');
    const answer = await inTime(replica, delivery.sign(bot.discord.eventOf(asked)));
    expect(delivery.take(asked, answer)).toBe(true);
    delivery.urls = urls;
    await eventually(() => asked.edits === 1);
    await deliverAgain(bot, asked);
    release();
    bot.inbox.held = undefined;
    const next = bot.discord.command('stats');
    await eventually(() => next.edits === 1 && bot.inbox.unsettled === 0);
    expect(asked.edits).toBe(1);
  });

  it('that fails is logged once, and done without', async () => {
    const bot = await httpBot();
    await bot.replica();
    bot.inbox.trouble = new RetryableError('The database is away.');
    const asked = [bot.discord.command('stats'), bot.discord.command('help')];
    await eventually(() => asked.every(({ edits }) => edits === 1));
    expect(bot.said().filter((line) => line.includes('inbox is unavailable'))).toHaveLength(1);
    bot.inbox.trouble = undefined;
    await eventually(() => bot.said().some((line) => line.includes('inbox is available again')));
  });

  it('that missed an answer is told again', async () => {
    const bot = await httpBot();
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await bot.replica({ answerer: slow(released) });
    const asked = bot.discord.command('stats');
    await eventually(() => bot.inbox.unsettled === 1);
    bot.inbox.trouble = new RetryableError('The database is away.');
    release();
    await eventually(() => asked.edits === 1);
    expect(bot.inbox.unsettled).toBe(1);
    bot.inbox.trouble = undefined;
    await eventually(() => bot.inbox.unsettled === 0);
  });

  async function deliverAgain(bot: HttpBot, asked: StandInInteraction): Promise<void> {
    const [url = ''] = bot.discord.delivery.urls;
    const signed = bot.discord.delivery.sign(bot.discord.eventOf(asked));
    expect(await bot.discord.delivery.send(url, signed)).toMatchObject({ status: 200 });
  }
});

it('a replica that alone has lost the store redirects deliveries to another', async () => {
  const bot = await httpBot();
  let isCutOff = true;
  const replica = { id: 'alone', work: bot.work, inbox: bot.inbox, leavesToOthers: () => isCutOff };
  const { url } = await bot.replica({ replica });
  await bot.replica();
  const asked = bot.discord.command('stats');
  await eventually(() => asked.edits === 1);
  expect(bot.discord.delivery.failures).toEqual([503]);
  isCutOff = false;
  bot.discord.delivery.urls = [url];
  const next = bot.discord.command('stats');
  await eventually(() => next.edits === 1);
});

describe('a stopping replica', () => {
  it('finishes commands in flight, and redirects new ones to another', async () => {
    const bot = await httpBot();
    let release: () => void = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { adapter } = await bot.replica({ answerer: slow(released) });
    await bot.replica();
    const before = bot.discord.command('stats');
    await eventually(() => before.acknowledged !== undefined);
    const stopped = adapter.stop();
    const after = bot.discord.command('help');
    await eventually(() => after.edits === 1);
    expect(bot.discord.delivery.failures).toEqual([503]);
    release();
    await stopped;
    expect(before.edits).toBe(1);
    expect(bot.inbox.unsettled).toBe(0);
    expect(adapter.status()).toEqual({ ok: false, detail: 'stopped' });
  });

  it('settles what waited for Discord and is answered at last before it has stopped', async () => {
    const bot = await httpBot();
    const { adapter } = await bot.replica({ timings: { ...QUICK, drain: 50 } });
    bot.discord.rest.upset('edit', tooMany(60));
    const asked = bot.discord.command('stats');
    await eventually(() => bot.discord.rest.counts.edit === 1);
    await adapter.stop();
    expect(asked.edits).toBe(1);
    expect(bot.inbox.unsettled).toBe(0);
  });

  it('answers what it was still recording when it began to stop', async () => {
    const bot = await httpBot();
    const { adapter } = await bot.replica();
    let record: () => void = () => {};
    bot.inbox.held = new Promise((resolve) => {
      record = resolve;
    });
    const received = vi.spyOn(bot.inbox, 'receive');
    // Whatever is sent before the deferral finds nothing to edit.
    bot.discord.delivery.delay = 50;
    const asked = bot.discord.command('stats');
    await eventually(() => received.mock.calls.length === 1);
    const stopped = adapter.stop();
    await eventually(() => asked.acknowledged === 5);
    record();
    await stopped;
    expect(asked.edits).toBe(1);
    expect(bot.inbox.unsettled).toBe(0);
  });

  it('leaves to another what Discord did not know of yet', async () => {
    const bot = await httpBot();
    const first = await bot.replica({ timings: DEAD });
    bot.discord.delivery.urls = [];
    const asked = bot.discord.command('stats');
    const deferral = await deliver(bot, asked, first);
    await first.adapter.stop();
    expect(bot.discord.rest.counts.edit).toBe(1);
    expect(bot.inbox.unsettled).toBe(1);
    expect(bot.discord.delivery.take(asked, deferral)).toBe(true);
    bot.bury(first.id);
    await bot.replica();
    await eventually(() => asked.edits === 1 && bot.inbox.unsettled === 0);
  });

  it('leaves what it had no time for to another', async () => {
    const bot = await httpBot();
    const { adapter, id } = await bot.replica({ answerer: stuck(), timings: DEAD });
    const asked = bot.discord.command('stats');
    await eventually(() => asked.acknowledged === 5);
    await adapter.stop();
    expect(bot.inbox.unsettled).toBe(1);
    bot.bury(id);
    await bot.replica();
    await eventually(() => asked.edits === 1 && bot.inbox.unsettled === 0);
  });
});

describe('with the gateway', () => {
  it('commands acknowledged by a replica that dies are answered by another', async () => {
    const bot = await httpBot();
    const { work, inbox } = bot;
    for (const id of ['first', 'second']) work.beat(id);
    await bot.up({
      replica: { id: 'first', work, inbox: idle(inbox) },
      answerer: stuck(),
      timings: DEAD,
    });
    await bot.up({ replica: { id: 'second', work, inbox } });
    const asked = bot.discord.command('stats');
    await eventually(() => asked.acknowledged === 5);
    inbox.bury('first');
    await eventually(() => asked.edits === 1 && inbox.unsettled === 0);
  });
});

/** `/stats`, which waits until it's released; all other commands answer at once. */
function slow(released: Promise<void>) {
  const held: typeof stats = {
    ...stats,
    async run(...given) {
      await released;
      return stats.run(...given);
    },
  };
  return answererWith({ commands: commands.map((each) => (each.name === 'stats' ? held : each)) });
}

/** As seen by a dead replica: there is nothing to take over. */
function idle(inbox: InboxStore): InboxStore {
  return {
    receive: (...given) => inbox.receive(...given),
    isHeld: (...given) => inbox.isHeld(...given),
    settle: (...given) => inbox.settle(...given),
    takeOver: () => [],
    waiting: (...given) => inbox.waiting(...given),
  };
}
