import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { textsFor } from '#command/texts/index';
import { DiscordStandIn } from '../../bench/servers/discord/stand-in.ts';
import type { User } from '../../bench/servers/discord/world.ts';
import { TelegramStandIn } from '../../bench/servers/telegram/stand-in.ts';
import type { Person } from '../../bench/servers/telegram/world.ts';
import { answered } from './discord/answered.ts';
import { textOf } from './discord/read.ts';
import { runCli } from './import-cli.ts';
import { activityLine, ndjson } from './import-lines.ts';
import { ROOT, SAME_PRIORITY, SOURCES } from './program.ts';
import { chatsUp, type Service, startService } from './service.ts';
import { ethereumWallet } from './wallet-keys.ts';

const { link: texts } = textsFor('en');

/** Points of wallets by the seed of their keys. */
const POINTS = { whale: 6_000, titan: 9_500, shrimp: 10 };

/** The program as an operator starts it: scores from an import, and both chats. */
export class WholeService {
  readonly discord = new DiscordStandIn();
  readonly #folder = mkdtempSync(join(tmpdir(), 'fathom-test-'));
  #telegram: TelegramStandIn | undefined;
  #service: Service | undefined;

  /** Imports, then starts the service and waits for both chats. */
  static async open(): Promise<WholeService> {
    const whole = new WholeService();
    const file = join(whole.#folder, 'lines.ndjson');
    const lines = Object.entries(POINTS).map(([seed, points], number) =>
      activityLine('ethereum', number, { address: ethereumWallet(seed).wallet.address, points }),
    );
    writeFileSync(file, ndjson(lines));
    const env = { DATABASE_URL: whole.#databaseUrl };
    const { code, stderr } = await runCli(['import', file], {
      cwd: whole.#folder,
      project: ROOT,
      env,
    });
    expect(code, stderr).toBe(0);
    await whole.discord.open();
    whole.#telegram = await TelegramStandIn.open();
    await whole.start();
    return whole;
  }

  get telegram(): TelegramStandIn {
    if (this.#telegram === undefined) throw new Error('Telegram is not open yet');
    return this.#telegram;
  }

  get service(): Service {
    if (this.#service === undefined) throw new Error('the service has not started yet');
    return this.#service;
  }

  async start(): Promise<void> {
    const env = {
      DATABASE_URL: this.#databaseUrl,
      DISCORD_TOKEN: this.discord.token,
      DISCORD_API_URL: this.discord.apiUrl,
      TELEGRAM_TOKEN: this.telegram.token,
      TELEGRAM_API_URL: this.telegram.apiUrl,
    };
    this.#service = await startService(env, SAME_PRIORITY, SOURCES);
    await chatsUp(this.#service);
  }

  /** kill -9; `start` brings it back. */
  async kill(): Promise<void> {
    const ended = once(this.service.child, 'exit');
    this.service.child.kill('SIGKILL');
    await ended;
  }

  /** Stops everything, and fails if a platform was used in a way that it doesn't allow. */
  async close(): Promise<void> {
    const code = await this.#service?.stop();
    await this.discord.close();
    await this.#telegram?.close();
    rmSync(this.#folder, { recursive: true, force: true });
    expect(code).toBe(0);
    this.#telegram?.check();
    expect(this.discord.faults).toEqual([]);
  }

  /** Types a command in Discord. @returns the text that is shown */
  async type(by: User, command: string, args: Record<string, string> = {}, may = 0n) {
    const { seen } = await answered(() =>
      this.discord.command(command, args, { by, place: 'server', may }),
    );
    return textOf(seen[0]);
  }

  /** Links a wallet in Discord as a member does without the page. */
  async link(by: User, seed: keyof typeof POINTS): Promise<void> {
    const keyed = ethereumWallet(seed);
    const asked = await this.type(by, 'link', { wallet: keyed.wallet.address });
    const code = await keyed.sign(textToSign(asked));
    expect(await this.type(by, 'link', { code })).toContain(texts.linkedTitle);
  }

  /** The bot's last message to a person in Telegram. */
  told(person: Person): string {
    const sent = this.telegram
      .made('sendMessage')
      .filter((each) => each.chat_id === person.user.id);
    return String(sent.at(-1)?.text ?? '');
  }

  get #databaseUrl(): string {
    return `sqlite:${join(this.#folder, 'fathom.db')}`;
  }
}

/** What a card asks its reader to sign. */
export function textToSign(card: string): string {
  const [text] = /localhost:\d+ wants you[\s\S]*?Request ID: \w+:\d+/.exec(card) ?? [];
  if (text === undefined) throw new Error(`nothing to sign in: ${card}`);
  return text;
}
