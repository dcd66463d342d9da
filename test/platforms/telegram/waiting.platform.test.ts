import { GrammyError } from 'grammy';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { noteCard } from '#command/cards/card';
import { textsFor } from '#command/texts/index';
import { Crowds } from '#platforms/telegram/answer/crowd';
import { sendFile } from '#platforms/telegram/answer/deliver';
import { privateChat } from '#platforms/telegram/answer/reply-target';
import { waitToSend } from '#platforms/telegram/answer/wait-to-send';
import { keptLog, NO_LIMITS } from '../../support/telegram/bot.ts';
import { useTelegram } from '../../support/telegram/use.ts';

/* Answers that Telegram doesn't take for a while, as it limits the bot. */

const EN = textsFor('en');
const MINUTE = 60_000;

const { telegram, start } = useTelegram();

function floodError(seconds: number): GrammyError {
  const answer = { ok: false, error_code: 429, description: 'Too Many Requests' } as const;
  const limited = { ...answer, parameters: { retry_after: seconds } };
  return new GrammyError('429', limited, 'sendMessage', {});
}

afterEach(() => {
  vi.useRealTimers();
});

it('An answer in a private chat comes once Telegram takes it, and says what it answers', async () => {
  start();
  const person = telegram().world.person();
  telegram().cause('sendMessage', { status: 429, retryAfter: 16 }, 1);
  const { kept } = telegram().says(person, '/stats');
  expect(await telegram().nth('sendMessage', 1)).toMatchObject({
    chat_id: person.user.id,
    text: expect.stringContaining(EN.stats.byTier),
    reply_parameters: { message_id: kept.id },
  });
});

describe('an answer', () => {
  const telegramOf = (signal: AbortSignal) => ({ signal, release: () => undefined });
  const attempt = (seconds: number, failures: number) => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const tries: boolean[] = [];
    const sent = waitToSend(telegramOf(stop.signal), undefined, async (isLate) => {
      tries.push(isLate);
      if (tries.length <= failures) throw floodError(seconds);
    });
    const ended = sent.then(
      () => 'sent',
      () => 'given up',
    );
    return { stop, tries, ended };
  };

  it('waits for ten minutes', async () => {
    const { tries, ended } = attempt(290, 2);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(await ended).toBe('sent');
    expect(tries).toEqual([false, true, true]);
  });

  it('waits for no longer', async () => {
    const { tries, ended } = attempt(601, 1);
    expect(await ended).toBe('given up');
    expect(tries).toEqual([false]);
  });

  it('is given up when the bot stops', async () => {
    const { stop, tries, ended } = attempt(100, 9);
    await vi.advanceTimersByTimeAsync(MINUTE);
    stop.abort();
    expect(await ended).toBe('given up');
    expect(tries).toEqual([false, true]);
  });
});

describe('the file of an answer', () => {
  const FILE = { ...noteCard('plain', 'A list', 'x'), file: { name: 'list.csv', text: 'a' } };
  /** @param failures how many times Telegram asks for so many seconds first */
  const sendTo = (seconds: number, failures: number) => {
    vi.useFakeTimers();
    const [stop, log] = [new AbortController(), keptLog()];
    let [tries, arrived] = [0, 0];
    const sendDocument = async () => {
      tries += 1;
      if (tries <= failures) throw floodError(seconds);
      arrived += 1;
    };
    const context = { api: { sendDocument }, log, signal: stop.signal };
    const answered = sendFile(context as never, privateChat(1), FILE);
    return { stop, log, answered, counts: () => ({ tries, arrived }) };
  };

  it('comes once Telegram takes it, and nothing else waits for it', async () => {
    const { answered, counts, log } = sendTo(290, 2);
    await answered;
    expect(counts()).toEqual({ tries: 1, arrived: 0 });
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(counts()).toEqual({ tries: 3, arrived: 1 });
    expect(log.lines).toEqual([]);
  });

  it('is given up, with a log entry, where that takes too long or the bot stops', async () => {
    const far = sendTo(601, 1);
    await far.answered;
    expect([far.counts(), far.log.lines.length]).toEqual([{ tries: 1, arrived: 0 }, 1]);
    const stopped = sendTo(100, 9);
    await stopped.answered;
    stopped.stop.abort();
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect([stopped.counts(), stopped.log.lines.length]).toEqual([{ tries: 2, arrived: 0 }, 1]);
  });
});

describe('a crowd', () => {
  /**
   * Thirty people ask as Telegram begins to refuse everything for so many minutes.
   * @param atOnce minutes that it asks to wait for at most
   */
  const refusedFor = async (minutes: number, atOnce = minutes) => {
    vi.useFakeTimers();
    const until = performance.now() + minutes * MINUTE;
    const texts: string[] = [];
    const tries: number[] = [];
    const send = async (text: string) => {
      tries.push(performance.now());
      const left = until - performance.now();
      if (left > 0) throw floodError(Math.ceil(Math.min(left, atOnce * MINUTE) / 1_000));
      texts.push(text);
    };
    const crowds = new Crowds({
      api: { sendMessage: async (_: number, text: string) => await send(text) } as never,
      people: { namesOf: async () => new Map() },
      textsIn: async () => EN,
      limits: { ...NO_LIMITS, chat: 3, chatMs: 300 },
      clock: Date.now,
      signal: new AbortController().signal,
    });
    const ask = (id: number) => ({
      message: {
        ...{ message_id: id, date: 0, text: '/stats', chat: { id: -1, type: 'supergroup' } },
        from: { id, is_bot: false, first_name: 'Ana' },
      },
      card: noteCard('plain', 'Stats', 'x'),
      alone: async () => await send('alone'),
    });
    const ends = Promise.allSettled(
      Array.from({ length: 30 }, async (_, i) => await crowds.answer(ask(i + 1) as never)),
    );
    await vi.advanceTimersByTimeAsync(20 * MINUTE);
    const outcomes = (await ends).map(({ status }) => status);
    return { texts, tries, outcomes };
  };

  it('that Telegram lets wait for nine minutes is answered then', async () => {
    const { texts, outcomes } = await refusedFor(9);
    expect(outcomes).toEqual(Array(30).fill('fulfilled'));
    expect(texts.join()).not.toContain(EN.chat.crowdMissed('30'));
  });

  it('that would wait for longer is told how many weren’t answered', async () => {
    const { texts, outcomes } = await refusedFor(14, 8);
    expect(outcomes).toEqual(Array(30).fill('rejected'));
    expect(texts).toEqual([expect.stringContaining(EN.chat.crowdMissed('30'))]);
  });

  it('isn’t told so where Telegram refuses everything for more than ten minutes at once', async () => {
    const { texts, outcomes } = await refusedFor(11);
    expect(outcomes).toEqual(Array(30).fill('rejected'));
    expect(texts).toEqual([]);
  });
});
