import { expect, onTestFinished } from 'vitest';
import type { Logger } from '#base/log';
import { type DiscordAdapter, type DiscordOptions, startDiscord } from '#platforms/discord/bot';
import type { Timings } from '#platforms/discord/gateway/timings';
import { DiscordStandIn } from '../../../bench/servers/discord/stand-in.ts';
import { answererWith } from '../ask.ts';
import { eventually } from '../eventually.ts';

/** Delays that a test would sit out are short. Timeouts are long, because the machine may be busy. */
export const QUICK: Partial<Timings> = {
  signIn: 20,
  retry: 20,
  longestRetry: 200,
  drain: 20_000,
  acknowledge: 25_000,
  pause: 5,
  poll: 20,
  handOver: 100,
};

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A bot connected to a stand-in for Discord. */
export interface TestBot {
  readonly discord: DiscordStandIn;
  /** Everything logged by all adapters of the test. */
  readonly lines: Line[];
  /** Lines that an operator sees by default. */
  said(): string[];
  /** Starts an adapter, by default with the stand-in's token. */
  start(options?: Partial<DiscordOptions>): DiscordAdapter;
  /** Starts one and waits until it's connected and has registered the commands. */
  up(options?: Partial<DiscordOptions>): Promise<DiscordAdapter>;
}

/**
 * A stand-in for one test. After the test everything is stopped, and the test fails if a request was invalid.
 */
export async function testBot(): Promise<TestBot> {
  const discord = new DiscordStandIn();
  const lines: Line[] = [];
  const running: DiscordAdapter[] = [];
  await discord.open();
  onTestFinished(async () => {
    await Promise.all(running.map((adapter) => adapter.stop()));
    await discord.close();
    expect(discord.faults).toEqual([]);
    expect(JSON.stringify(lines.map(withErrors))).not.toContain(discord.token);
  });
  const add = (level: Line['level']) => (fields: Line['fields'], message: string) => {
    lines.push({ level, fields, message });
  };
  const log: Logger = {
    debug: add('debug'),
    info: add('info'),
    warn: add('warn'),
    error: add('error'),
  };
  const start = (options: Partial<DiscordOptions> = {}) => {
    const adapter = startDiscord({
      token: discord.token,
      apiUrl: discord.apiUrl,
      answerer: answererWith(),
      log,
      timings: QUICK,
      ...options,
    });
    running.push(adapter);
    return adapter;
  };
  const registrations = () =>
    lines.filter(({ message }) => message.includes('has our commands')).length;
  return {
    discord,
    lines,
    said: () => lines.filter(({ level }) => level !== 'debug').map(({ message }) => message),
    start,
    async up(options) {
      const before = registrations();
      const adapter = start(options);
      await eventually(() => adapter.status().ok && registrations() > before);
      return adapter;
    },
  };
}

/** Errors as text, since JSON leaves them out. */
function withErrors({ fields, message }: Line): unknown {
  const texts = Object.values(fields).map((value) =>
    value instanceof Error ? `${value.stack} ${value.cause}` : value,
  );
  return [message, texts];
}
