import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { textsFor } from '#command/texts/index';
import { FloodWindow, Throttle } from '#platforms/telegram/connection/throttle';
import { FLOOD_LIMITS } from '#platforms/telegram/limits';
import { TO_ALL, TO_CHAT } from '../../../bench/servers/telegram/flood.ts';
import { answererWith } from '../../support/ask.ts';
import { FixedSource, fixedWallets } from '../../support/fixed-source.ts';
import { NO_LIMITS } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';

const EN = textsFor('en');

const { telegram, start } = useTelegram();

it('The flood limit never lets more through in any period', () => {
  const steps = fc.array(fc.nat(400), { minLength: 1, maxLength: 80 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 3_000 }), steps, check),
  );

  function check(most: number, length: number, pauses: readonly number[]): void {
    const window = new FloodWindow(most, length);
    let now = 0;
    const times = pauses.map((pause) => {
      now += pause;
      return now + window.take(now);
    });
    for (const [i, time] of times.entries()) {
      const before = times[i - most];
      if (before !== undefined) expect(time - before).toBeGreaterThanOrEqual(length);
    }
  }
});

it("The flood limit isn't applied without a limit", () => {
  const window = new FloodWindow(Number.POSITIVE_INFINITY, 1_000);
  expect([0, 0, 0, 0].map((now) => window.take(now))).toEqual([0, 0, 0, 0]);
});

it("The throttle doesn't count typing indicators as messages", async () => {
  const limits = { ...FLOOD_LIMITS, all: 2, chat: 2, group: 2 };
  const { signal } = new AbortController();
  const { transformer } = new Throttle({ limits, signal, shared: undefined });
  const went: string[] = [];
  const prev = async (method: string) => {
    went.push(method);
    return { ok: true, result: true };
  };
  const call = (method: 'sendChatAction' | 'sendMessage') =>
    transformer(prev as never, method, { chat_id: 7 } as never, signal as never);
  vi.useFakeTimers();
  try {
    for (let i = 0; i < 10; i += 1) void call('sendChatAction');
    for (let i = 0; i < 3; i += 1) void call('sendMessage');
    await vi.advanceTimersByTimeAsync(0);
    expect(went.filter((each) => each === 'sendChatAction')).toHaveLength(10);
    expect(went.filter((each) => each === 'sendMessage')).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

it('The flood limit delays messages to many chats at once', async () => {
  const began = performance.now();
  start();
  for (let i = 0; i < 45; i += 1) telegram().says(telegram().world.person(), '/stats');
  await telegram().nth('sendMessage', 45);
  expect(telegram().flood.tooEarly(began, TO_ALL)).toEqual([]);
});

it('The flood limit delays messages to one chat, in order', async () => {
  const began = performance.now();
  start();
  const person = telegram().world.person();
  for (const text of ['/stats', '/top', '/help', '/stats']) telegram().says(person, text);
  await telegram().nth('sendMessage', 4);
  expect(telegram().flood.tooEarly(began, TO_CHAT)).toEqual([]);
  const firsts = telegram()
    .made('sendMessage')
    .map(({ text }) => String(text).split('\n')[0]);
  expect(firsts).toEqual([
    expect.stringContaining(EN.stats.title),
    expect.stringContaining(EN.top.title),
    expect.stringContaining(EN.help.title),
    expect.stringContaining(EN.stats.title),
  ]);
});

it("The flood limit drops a crowded chat's commands, while others are answered", async () => {
  const gate = Promise.withResolvers<void>();
  class Slow extends FixedSource {
    override stats(): never {
      const later = gate.promise.then(() => super.stats());
      return later as never;
    }
  }
  const outcomes: string[] = [];
  start({
    limits: NO_LIMITS,
    answerer: answererWith({ source: new Slow(fixedWallets()) }),
    onCommand: (_, outcome) => outcomes.push(outcome),
  });
  const [person, other] = [telegram().world.person(), telegram().world.person()];
  for (let i = 0; i < 30; i += 1) telegram().says(person, '/stats');
  telegram().says(other, '/top');
  await telegram().nth('sendMessage', 1);
  gate.resolve();
  await telegram().nth('sendMessage', 11);
  expect(outcomes.filter((each) => each === 'dropped')).toHaveLength(20);
});
