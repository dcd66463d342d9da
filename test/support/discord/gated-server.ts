import { expect, onTestFinished } from 'vitest';
import { textsFor } from '#command/texts/index';
import { commands } from '#commands/index';
import type { DiscordAdapter, DiscordOptions } from '#platforms/discord/bot';
import { MAY, type Role } from '../../../bench/servers/discord/guild.ts';
import { EVERYBODY_MAY, GUILD, type User } from '../../../bench/servers/discord/world.ts';
import { answererWith } from '../ask.ts';
import { eventually } from '../eventually.ts';
import { GatedCommunity } from '../gated-community.ts';
import { walletOf } from '../import-lines.ts';
import { answered } from './answered.ts';
import { type TestBot, testBot } from './bot.ts';
import { type HttpBot, type HttpReplica, httpBot } from './http-bot.ts';
import { textOf } from './read.ts';

/** A Discord server, the real bot, and the real gating behind it. */
export class GatedServer {
  readonly bot: TestBot;
  readonly world = new GatedCommunity({ platform: 'discord', id: GUILD });
  readonly #membersIntent: boolean;
  #adapter!: DiscordAdapter;
  #heard = 0;
  readonly #http: HttpBot | undefined;
  #replica: HttpReplica | undefined;

  private constructor(bot: TestBot | HttpBot, membersIntent: boolean) {
    this.bot = bot;
    this.#http = 'replica' in bot ? bot : undefined;
    this.#membersIntent = membersIntent;
    bot.discord.gateway.membersIntent = membersIntent;
  }

  /**
   * The test fails if a button was left out of an answer: whoever asked can't see that.
   * @param membersIntent whether the operator has enabled it, both at Discord and here
   */
  static async open({ membersIntent = false, http = false } = {}): Promise<GatedServer> {
    const bot = await (http ? httpBot() : testBot());
    const leftOut = () => bot.lines.filter(({ fields }) => fields.err instanceof RangeError);
    onTestFinished(() => expect(leftOut()).toEqual([]));
    const server = new GatedServer(bot, membersIntent);
    await server.#run();
    return server;
  }

  get discord() {
    return this.bot.discord;
  }

  get guild() {
    return this.bot.discord.guild;
  }

  get isConnected(): boolean {
    return this.#adapter.status().ok;
  }

  get watch() {
    return this.world.gated.watch;
  }

  async #run(): Promise<void> {
    const { world } = this;
    world.gated = world.open({ adapterOf: () => this.#adapter.communityAdapter });
    const { gating, watch } = world.gated;
    const counted = <A extends unknown[]>(pass: (...about: A) => void) => {
      return (...about: A) => {
        pass(...about);
        this.#heard += 1;
      };
    };
    const options: Partial<DiscordOptions> = {
      answerer: answererWith({
        commands,
        gating,
        onSeen: (caller) => watch.seen(caller),
        clock: () => world.now * 1000,
      }),
      membersIntent: this.#membersIntent,
      gate: {
        joined: counted((...about) => watch.joined(...about)),
        left: counted((...about) => watch.left(...about)),
        changed: counted((...about) => watch.changed(...about)),
        grantChanged: counted((...about) => watch.grantChanged(...about)),
        renamed: (...about) => watch.renamed(...about),
        handChanged: counted((...about) => watch.handChanged(...about)),
        missed: (...about) => watch.missed(...about),
        removed: counted((...about) => watch.removed(...about)),
        given: counted((...about) => watch.given(...about)),
        moved: (...about) => watch.moved(...about),
        standingChanged: (...about) => watch.standingChanged(...about),
        requested: async (...about) => await watch.requested(...about),
      },
    };
    if (this.#http === undefined) this.#adapter = await this.bot.up(options);
    else {
      this.#replica?.cut();
      this.discord.delivery.urls = [];
      this.#replica = await this.#http.replica(options);
      this.#adapter = this.#replica.adapter;
    }
  }

  /** The process ends; whatever happens meanwhile is reported to nobody; then another one starts. */
  async restart(meanwhile: () => unknown = () => undefined): Promise<void> {
    await this.world.gated.stop();
    await this.#adapter.stop();
    // Another process has no session to resume.
    this.discord.gateway.forget();
    await meanwhile();
    await this.#run();
    await this.watch.begin();
  }

  /** The process is killed, and another one starts. */
  async die(): Promise<void> {
    await this.#adapter.stop();
    this.discord.gateway.forget();
    await this.#run();
    await this.watch.begin();
  }

  /** Something happens that Discord reports; waits until it's been handled. */
  async hears(happens: () => unknown, events = 1): Promise<void> {
    const before = this.#heard;
    await happens();
    await eventually(() => this.#heard >= before + events);
    await this.watch.idle();
  }

  /** Who may manage roles types a command. @returns what they see */
  async type(command: string, args: Record<string, string> = {}, locale = 'en-US') {
    const doing = { by: this.guild.owner, may: EVERYBODY_MAY | MAY.manageRoles, locale };
    const { seen } = await answered(() => this.discord.command(command, args, doing));
    return textOf(seen[0]);
  }

  /** A member uses a command, which is when the bot looks at them. */
  async uses(by: User): Promise<void> {
    await answered(() => this.discord.command('stats', {}, { by }));
    await this.watch.idle();
  }

  /** They prove a wallet of this score. */
  async links({ id }: User, score: number): Promise<void> {
    const number = Number(BigInt(id) & 0xffffffn);
    this.world.score(number, score);
    await this.world.link(id, walletOf(number));
    this.watch.linksChanged({ platform: 'discord', id });
    await this.watch.idle();
  }

  /** A rule for Whales, as a moderator types it. */
  async rule(role: Role): Promise<void> {
    const shown = await this.type('gate add', { role: role.id, tier: 'whale' });
    if (!shown.includes(textsFor('en').gate.addedTitle)) throw new Error(shown);
  }

  has({ id }: User, role: Role): boolean {
    return this.guild.people.rolesOf(id).includes(role.id);
  }
}

/** A server with a rule for Whales, a member who has just got the role from it, and somebody to moderate. */
export async function withOneWhale(options: Parameters<typeof GatedServer.open>[0] = {}) {
  const server = await GatedServer.open(options);
  const whales = server.guild.addRole('Whales');
  const vera = server.guild.addMember('vera');
  const mod = server.guild.addMember('mod');
  await server.rule(whales);
  await server.links(vera, 6000);
  await server.uses(vera);
  expect(server.has(vera, whales)).toBe(true);
  return { server, whales, vera, mod };
}
