import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MAY } from '../bench/servers/discord/guild.ts';
import { DiscordStandIn } from '../bench/servers/discord/stand-in.ts';
import type { User } from '../bench/servers/discord/world.ts';
import { ADMIN, OWNER } from '../bench/servers/telegram/seats.ts';
import { TelegramStandIn } from '../bench/servers/telegram/stand-in.ts';
import type { Person } from '../bench/servers/telegram/world.ts';
import { answered } from './support/discord/answered.ts';
import { buttonOf, textOf } from './support/discord/read.ts';
import { runCli } from './support/import-cli.ts';
import { chatsUp, type Service, startService } from './support/service.ts';
import { ethereumWallet } from './support/wallet-keys.ts';

/*
 * The program as an operator starts it, with both chats: what moderators set up, what members get, and what
 * remains after the process is killed.
 */

let folder: string;
let discord: DiscordStandIn;
let telegram: TelegramStandIn;
let service: Service;

/** Scores of wallets by seed. */
const SCORES = { whale: 6_000, titan: 9_500, shrimp: 10 };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  const lines = Object.entries(SCORES).map(([seed, points]) =>
    JSON.stringify({
      kind: 'activity',
      address: ethereumWallet(seed).wallet.address,
      type: 'vote',
      description: 'Voted',
      points,
      timestamp: '2026-01-01T00:00:00Z',
    }),
  );
  const file = join(folder, 'lines.ndjson');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const env = { DATABASE_URL: databaseUrl() };
  const { code } = await runCli(['import', file], { cwd: folder, env });
  expect(code).toBe(0);
  discord = new DiscordStandIn();
  await discord.open();
  telegram = await TelegramStandIn.open();
  await begin();
});
afterEach(async () => {
  await service.stop();
  await discord.close();
  await telegram.close();
  rmSync(folder, { recursive: true, force: true });
  telegram.check();
  expect(discord.faults).toEqual([]);
});

const databaseUrl = () => `sqlite:${join(folder, 'fathom.db')}`;

async function begin(): Promise<void> {
  service = await startService({
    DATABASE_URL: databaseUrl(),
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.apiUrl,
    TELEGRAM_TOKEN: telegram.token,
    TELEGRAM_API_URL: telegram.apiUrl,
  });
  await chatsUp(service);
}

/** What a user who types a command sees. */
async function type(by: User, command: string, args: Record<string, string> = {}, can = 0n) {
  const { seen } = await answered(() =>
    discord.command(command, args, { by, place: 'server', may: can }),
  );
  return textOf(seen[0]);
}

/** Links a wallet as a member does without the page. */
async function link(by: User, seed: string): Promise<void> {
  const keyed = ethereumWallet(seed);
  const asked = await type(by, 'link', { wallet: keyed.wallet.address });
  const text = /localhost:\d+ wants you[\s\S]*?Request ID: \w+:\d+/.exec(asked)?.[0] ?? '';
  expect(await type(by, 'link', { code: await keyed.sign(text) })).toContain('Wallet linked');
}

const holders = (role: string, people: readonly User[]) =>
  people.filter(({ id }) => discord.guild.people.rolesOf(id).includes(role));

it('a moderator creates a role for a tier, members get it as they link, and one asks why', async () => {
  const { guild } = discord;
  const moderator = guild.owner;
  const whales = guild.addRole('Whales');
  const whale = guild.addMember('Wanda');
  const shrimp = guild.addMember('Sam');
  const add = { role: whales.id, tier: 'whale' };
  expect(await type(whale, 'gate add', add)).toContain('Only moderators');
  expect(await type(moderator, 'gate add', add, MAY.manageGuild)).toContain('Rule added');
  await link(whale, 'whale');
  await link(shrimp, 'shrimp');
  await type(moderator, 'gate run', {}, MAY.manageGuild);
  await expect.poll(() => holders(whales.id, [whale, shrimp])).toEqual([whale]);
  const why = await type(moderator, 'gate why', { member: whale.id }, MAY.manageGuild);
  expect(why).toContain('has it from this rule');
  expect(why).toContain('6,000 points');
  // Granted by a look when she linked, or by the run, whichever came first.
  const undo = await answered(() =>
    discord.command('gate undo', {}, { by: moderator, place: 'server', may: MAY.manageGuild }),
  );
  if (!textOf(undo.seen[0]).includes('Undone')) {
    const [shown] = undo.seen;
    if (shown === undefined) throw new Error('nothing was shown');
    const doing = { by: moderator, may: MAY.manageGuild } as const;
    discord.press(shown, buttonOf(shown, 'Undo this run'), doing);
  }
  await expect.poll(() => holders(whales.id, [whale, shrimp])).toEqual([]);
});

it("a role above the bot's own is rejected with what to do", async () => {
  const { guild } = discord;
  const high = guild.addRole('High', { position: 60 });
  const add = { role: high.id, tier: 'whale' };
  expect(await type(guild.owner, 'gate add', add, MAY.administrate)).toContain(
    'drag the bot’s role',
  );
});

it('after kill -9 it resumes where it was, and nobody has lost anything', async () => {
  const { guild } = discord;
  const whales = guild.addRole('Whales');
  const whale = guild.addMember('Wanda');
  const titan = guild.addMember('Tina');
  await type(guild.owner, 'gate add', { role: whales.id, tier: 'whale' }, MAY.manageGuild);
  await link(whale, 'whale');
  await link(titan, 'titan');
  const ended = once(service.child, 'exit');
  service.child.kill('SIGKILL');
  await ended;
  await begin();
  await type(guild.owner, 'gate run', {}, MAY.manageGuild);
  await expect.poll(() => holders(whales.id, [whale, titan]).length).toBe(2);
  const log = await type(guild.owner, 'gate log', {}, MAY.manageGuild);
  expect(log).toContain(`<@${whale.id}>`);
  expect(log).toContain(`<@${titan.id}>`);
});

/** The bot's last message to a person. */
function wordsTo(person: Person): string {
  const sent = telegram.made('sendMessage').filter((each) => each.chat_id === person.user.id);
  return String(sent.at(-1)?.text ?? '');
}

it('a Telegram group admits those who meet the rule, and tells others how', async () => {
  const group = telegram.world.group({ bot: ADMIN });
  const owner = telegram.world.person();
  telegram.world.seats.put(group.id, owner.user.id, OWNER);
  telegram.says(owner, '/gate add tier:whale', { in: group });
  await telegram.until(() => wordsTo(owner).includes('Rule added'));
  const member = telegram.world.person();
  telegram.asksToJoin(member, group);
  await telegram.until(() => wordsTo(member).includes('Whale or higher'));
  const keyed = ethereumWallet('whale');
  telegram.says(member, `/link ${keyed.wallet.address}`);
  await telegram.until(() => wordsTo(member).includes('wants you'));
  const asked = wordsTo(member);
  const text = /localhost:\d+ wants you[\s\S]*?Request ID: \w+:\d+/.exec(asked)?.[0] ?? '';
  telegram.says(member, await keyed.sign(text));
  await telegram.until(() => telegram.world.seats.of(group.id, member.user.id).status === 'member');
});
