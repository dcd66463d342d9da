import { expect, it } from 'vitest';
import type {
  ActivityList,
  BadgeList,
  GlobalStats,
  LeaderboardEntry,
  LeaderboardPage,
  Reputation,
} from '#reputation/api-records';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import { TelegramStandIn } from '../bench/servers/telegram/stand-in.ts';
import { answered } from './support/discord/answered.ts';
import { textOf } from './support/discord/read.ts';
import { workplace } from './support/import-cli.ts';
import { hasRealData, REAL_DATA } from './support/real-data.ts';
import { type ServedHere, serveHere } from './support/serve-here.ts';

/**
 * The service as it's run, with both chats and the API, and the real data if available: a figure is the same
 * everywhere.
 */
it("Discord, Telegram and /v1 show the same figures, and follow both platforms' rules", async () => {
  const discord = new DiscordStandIn();
  await discord.open();
  const telegram = await TelegramStandIn.open();
  const service = await serveHere({
    ...(await database()),
    RATE_LIMIT_PUBLIC: '100000',
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    TELEGRAM_TOKEN: telegram.token,
    TELEGRAM_API_URL: telegram.apiUrl,
  });
  try {
    await expect.poll(() => chatsAreUp(service)).toBe(true);
    const ask = createAskers(discord, telegram);
    const v1 = async <T>(path: string) =>
      (await (await fetch(`${service.url}/v1${path}`)).json()) as T;

    for (const { address } of await sampleOf(v1)) {
      const figures = await v1<Reputation>(`/reputation/${address}`);
      const badges = await v1<BadgeList>(`/badges/${address}`);
      const { total } = await v1<ActivityList>(`/activity/${address}`);
      for (const told of await ask('rep', address)) {
        expect(told).toContain(address);
        expect(told).toContain(grouped(figures.score));
        expect(told).toContain(`${grouped(figures.rank)} of ${grouped(figures.totalUsers)}`);
        expect(told).toContain(figures.tier);
      }
      for (const told of await ask('badges', address)) {
        if (badges.total > 0) expect(told).toContain(String(badges.total));
      }
      for (const told of await ask('activity', address)) {
        expect(told).toContain(grouped(total));
      }
    }

    const { leaderboard, total } = await v1<LeaderboardPage>('/leaderboard?limit=10');
    for (const told of await ask('top')) {
      expect(told).toContain(grouped(Math.ceil(total / 10)));
      for (const entry of leaderboard) expect(told).toMatch(rowOf(entry));
    }
    const stats = await v1<GlobalStats>('/stats/global');
    for (const told of await ask('stats')) {
      expect(told).toContain(grouped(stats.totalUsers));
      expect(told).toContain(grouped(stats.totalBadgesIssued));
      expect(told).toContain(grouped(stats.averageScore));
      for (const { users } of Object.values(stats.chains)) expect(told).toContain(grouped(users));
      for (const users of Object.values(stats.topTier)) expect(told).toContain(grouped(users));
    }
    await service.stop();
  } finally {
    await service.stop();
    await discord.close();
    await telegram.close();
  }
  expect(discord.faults).toEqual([]);
  telegram.check();
  expect(service.output()).not.toContain(discord.token);
  expect(service.output()).not.toContain(telegram.token);
});

/** Where the figures come from: the real data if available, otherwise the demo. */
async function database(): Promise<Record<string, string>> {
  if (!hasRealData) return {};
  const place = workplace();
  expect((await place.run(['import', REAL_DATA])).code).toBe(0);
  return place.env;
}

async function chatsAreUp({ url }: ServedHere): Promise<boolean> {
  const { checks } = (await (await fetch(`${url}/readyz`)).json()) as {
    checks: Record<string, { ok: boolean }>;
  };
  return checks.discord?.ok === true && checks.telegram?.ok === true;
}

/** Wallets at both ends, among ties, and of every chain. */
async function sampleOf(v1: <T>(path: string) => Promise<T>): Promise<LeaderboardEntry[]> {
  const pages: LeaderboardPage[] = [];
  for (const chain of ['all', 'eth', 'sol', 'algo']) {
    const first = await v1<LeaderboardPage>(`/leaderboard?limit=2&chain=${chain}`);
    const middle = Math.floor(first.total / 2);
    pages.push(first);
    for (const offset of [middle, first.total - 1]) {
      pages.push(await v1<LeaderboardPage>(`/leaderboard?limit=2&offset=${offset}&chain=${chain}`));
    }
  }
  return pages.flatMap((page) => page.leaderboard);
}

/** Runs a command on both platforms. @returns what Discord and Telegram showed */
function createAskers(discord: DiscordStandIn, telegram: TelegramStandIn) {
  let sent = 0;
  return async (command: string, wallet?: string): Promise<[string, string]> => {
    const asked = await answered(() =>
      discord.command(command, wallet === undefined ? {} : { wallet }),
    );
    // A new person each time, as a chat accepts only one message per second.
    const person = telegram.world.person();
    telegram.says(person, [`/${command}`, wallet].join(' ').trim());
    sent += 1;
    const { text } = await telegram.nth('sendMessage', sent);
    return [textOf(asked.seen[0]), String(text)].map(plain) as [string, string];
  };
}

/** Without the characters that defuse untrusted text. */
function plain(text: string): string {
  return text.replace(/[\u2060\u2068\u2069\\]/g, '').replace(/\*\*/g, '');
}

function grouped(figure: number): string {
  return new Intl.NumberFormat('en').format(figure);
}

/** A line with the rank, the name as far as it fits, and the score. */
function rowOf({ rank, score }: LeaderboardEntry): RegExp {
  const place = ['🥇', '🥈', '🥉'][rank - 1] ?? grouped(rank);
  return new RegExp(`^\\s*${place} .*${grouped(score)}`, 'mu');
}
