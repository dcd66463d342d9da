import type { CommunityAdapter } from '#gating/community-adapter';
import type { DiscordAdapter, DiscordOptions } from '#platforms/discord/bot';
import type { Timings } from '#platforms/discord/gateway/timings';
import { QUICK, type TestBot, testBot } from './bot.ts';

/** A connected bot with what gating needs of it, and a clock that a test can advance. */
export interface TestAdapter extends TestBot {
  readonly adapter: DiscordAdapter;
  readonly communityAdapter: CommunityAdapter;
  /** Advances the clock, in milliseconds. */
  pass(milliseconds: number): void;
}

/** @param membersIntent whether the operator has enabled it, both at Discord and here */
export async function adapterUp(
  options: Partial<DiscordOptions> = {},
  timings: Partial<Timings> = {},
): Promise<TestAdapter> {
  const bot = await testBot();
  bot.discord.gateway.membersIntent = options.membersIntent ?? false;
  let passed = 0;
  const clock = () => Date.now() + passed;
  const adapter = await bot.up({ clock, timings: { ...QUICK, ...timings }, ...options });
  return {
    ...bot,
    adapter,
    communityAdapter: adapter.communityAdapter,
    pass(milliseconds) {
      passed += milliseconds;
    },
  };
}
