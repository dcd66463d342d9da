import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Args, dataOf, menuOf, typingOf } from './command-input.ts';
import { INTENTS, StandInGateway } from './gateway.ts';
import { type Role, type RolesNoted, StandInGuild } from './guild.ts';
import { HttpDelivery } from './http-delivery.ts';
import { snowflake } from './ids.ts';
import { type Shown, StandInInteraction } from './interaction.ts';
import { StandInRest } from './rest.ts';
import {
  APPLICATION,
  BOT,
  GUILD,
  messageOf,
  type Pending,
  type Place,
  SECOND_GUILD,
  threadOf,
  type User,
  user,
  whoAndWhere,
} from './world.ts';

export interface Doing {
  readonly by?: User;
  readonly place?: Place;
  /** The thread where it happens, if it's one. */
  readonly thread?: string;
  readonly locale?: string;
  /** Their permissions in the channel. */
  readonly may?: bigint;
  /** Discord forgets the interaction before it's answered. */
  readonly expired?: boolean;
}

interface Form {
  readonly custom_id: string;
  readonly components: readonly {
    readonly type: number;
    readonly component: { readonly type: number; readonly custom_id: string };
  }[];
}

/** Entries of the audit log that are kept. */
const NOTED = 1_000;
/** Interactions that it remembers; as many may be in flight at once. */
const KEPT = 2_000;

/** A local Discord: what the real discord.js connects to. */
export class DiscordStandIn {
  readonly token = 'c3RhbmQtaW4.Gt0ken.dGhpcy1pcy1uby1yZWFsLXRva2Vu';
  /** Violations; a test with any of them has failed. */
  readonly faults: string[] = [];
  readonly someone = user('asker');
  readonly guild = new StandInGuild();
  /** Another one; see `openSecond`. */
  readonly second = new StandInGuild(SECOND_GUILD, 'Another server');
  readonly #guilds = [this.guild];
  readonly rest: StandInRest;
  readonly gateway: StandInGateway;
  /** Delivers interactions instead of the gateway, if it's given an endpoint. */
  readonly delivery = new HttpDelivery((fault) => void this.faults.push(fault));
  /** It ends no idle connection: it would do so while a client that has waited for the CPU uses it again. */
  readonly #server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    this.rest.handle(request, response).catch((error) => {
      this.faults.push(`the stand-in failed: ${error}`);
      response.destroy();
    });
  });
  readonly #interactions = new Map<string, StandInInteraction>();
  readonly #events = new Map<StandInInteraction, unknown>();

  constructor() {
    const report = (fault: string) => void this.faults.push(fault);
    this.gateway = new StandInGateway(this.#server, this.token, this.#guilds, report);
    for (const guild of [this.guild, this.second]) {
      guild.onMemberChanged = (account) => this.#memberChanged(account, guild);
      guild.onRolesNoted = (...noted) => this.#rolesNoted(guild, ...noted);
    }
    this.rest = new StandInRest({
      token: this.token,
      gatewayUrl: () => this.gateway.url,
      gatewayPlan: () => this.gateway.plan,
      report,
      interactionOf: (token) => this.#interactions.get(token),
      guilds: this.#guilds,
      mayListMembers: () => this.gateway.membersIntent,
    });
  }

  /** URL of the REST API, as DISCORD_API_URL takes it. */
  get apiUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api`;
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.gateway.url = `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    await this.delivery.close();
    this.gateway.close();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Someone uses a command, with its subcommand after a space. */
  command(name: string, args: Args = {}, doing: Doing = {}): StandInInteraction {
    return this.#do(new StandInInteraction(2), doing, {
      data: dataOf(APPLICATION, name, args),
    });
  }

  /** Someone uses a command from the menu on a user. */
  menu(name: string, target: User, doing: Doing = {}): StandInInteraction {
    const data = menuOf(APPLICATION, name, target);
    return this.#do(new StandInInteraction(2), doing, { data });
  }

  /** Someone is typing an option. */
  typing(name: string, option: string, typed: string, doing: Doing = {}): StandInInteraction {
    const data = typingOf(APPLICATION, name, option, typed);
    return this.#do(new StandInInteraction(4), doing, { data });
  }

  /** Someone presses a message's button. */
  press(shown: Shown, customId: string, doing: Doing = {}): StandInInteraction {
    return this.#use(shown, { component_type: 2, custom_id: customId }, doing);
  }

  /** Someone chooses from a message's menu. */
  choose(shown: Shown, customId: string, value: string, doing: Doing = {}): StandInInteraction {
    return this.#use(shown, { component_type: 3, custom_id: customId, values: [value] }, doing);
  }

  /** Someone submits the form that a press has opened. @param alone without its message */
  submit(opened: StandInInteraction, text: string, doing: Doing & { alone?: boolean } = {}) {
    const { custom_id, components } = opened.form as unknown as Form;
    const data = {
      custom_id,
      components: components.map(({ type, component }, i) => ({
        type,
        id: 2 * i + 1,
        component: {
          type: component.type,
          id: 2 * i + 2,
          custom_id: component.custom_id,
          value: text,
        },
      })),
    };
    const on = doing.alone === true ? undefined : opened.original;
    const message = on === undefined ? {} : { message: messageOf(on) };
    return this.#do(new StandInInteraction(5, on), doing, { data, ...message });
  }

  /** Someone joins the server. @param pending whether they have to accept its rules first, or are a guest */
  join(person: User, pending: Pending = false, guild = this.guild): void {
    guild.people.join(person, [], pending);
    const event = { ...guild.people.one(person.id), guild_id: guild.id };
    this.gateway.dispatch('GUILD_MEMBER_ADD', event, INTENTS.members);
  }

  /** They accept its rules, or are a guest no more. */
  accept(person: User): void {
    this.guild.people.accept(person.id);
    this.#memberChanged(person.id);
  }

  /** They change their name there. */
  rename(person: User): void {
    this.#memberChanged(person.id);
  }

  /** Someone other than the bot gives or takes roles, by default the owner. */
  changeRoles(
    step: 'give' | 'take',
    person: User,
    role: Role | readonly Role[],
    by?: User,
    guild = this.guild,
  ): void {
    const roles = [role].flat();
    for (const { id } of roles) guild.people.change(step, person.id, id);
    this.#memberChanged(person.id, guild);
    this.#rolesNoted(guild, by ?? guild.owner, step, person.id, roles);
  }

  /** Delivers an entry of the audit log again. @param number from 0; those of the bot count */
  noteAgain(number: number): void {
    this.gateway.again('GUILD_AUDIT_LOG_ENTRY_CREATE', told(this.guild.noted[number], this.guild));
  }

  /**
   * An entry of the audit log, which only bots that may see it receive.
   * https://discord.com/developers/docs/events/gateway-events#guild-audit-log-entry-create
   */
  #rolesNoted(
    guild: StandInGuild,
    by: User,
    step: 'give' | 'take',
    account: string,
    roles: readonly Role[],
  ): void {
    const changed = roles.map(({ id, name }) => ({ id, name }));
    const entry = {
      id: snowflake(),
      user_id: by.id,
      target_id: account,
      action_type: 25,
      changes: [{ key: step === 'give' ? '$add' : '$remove', new_value: changed }],
    } as const;
    guild.noted.push(entry);
    if (guild.noted.length > NOTED) guild.noted.shift();
    this.#tellNoted(entry, guild);
  }

  #tellNoted(entry: RolesNoted | OtherNoted, guild = this.guild): void {
    if (!guild.botMaySeeAudit) return;
    this.gateway.dispatch('GUILD_AUDIT_LOG_ENTRY_CREATE', told(entry, guild), INTENTS.moderation);
  }

  /**
   * A moderator times somebody out, or ends that.
   * https://discord.com/developers/docs/resources/guild#modify-guild-member
   */
  timeOut(person: User, until: string | null, by = this.guild.owner): void {
    this.guild.people.timeOut(person.id, until);
    this.#memberChanged(person.id);
    const change = {
      key: 'communication_disabled_until',
      ...(until !== null && { new_value: until }),
    };
    this.#tellNoted(notedOf(24, by, person, [change]));
  }

  /** A moderator kicks somebody. */
  kick(person: User, by = this.guild.owner): void {
    this.leave(person);
    this.#tellNoted(notedOf(20, by, person));
  }

  /** A moderator bans somebody, who may not be there. https://discord.com/developers/docs/events/gateway-events#guild-ban-add */
  ban(person: User, by = this.guild.owner): void {
    const { people } = this.guild;
    people.banned.add(person.id);
    this.gateway.dispatch('GUILD_BAN_ADD', { guild_id: GUILD, user: person }, INTENTS.moderation);
    if (people.one(person.id) !== undefined) this.leave(person);
    this.#tellNoted(notedOf(22, by, person));
  }

  /** A moderator lifts the ban: they may return. https://discord.com/developers/docs/events/gateway-events#guild-ban-remove */
  pardon(person: User, by = this.guild.owner): void {
    this.guild.people.banned.delete(person.id);
    const event = { guild_id: GUILD, user: person };
    this.gateway.dispatch('GUILD_BAN_REMOVE', event, INTENTS.moderation);
    this.#tellNoted(notedOf(23, by, person));
  }

  /** https://discord.com/developers/docs/events/gateway-events#guild-member-update; of the bot whatever its intents */
  #memberChanged(account: string, guild = this.guild): void {
    const event = { ...guild.people.one(account), guild_id: guild.id };
    this.gateway.dispatch('GUILD_MEMBER_UPDATE', event, account === BOT.id ? 0 : INTENTS.members);
  }

  /** Someone changes a role of the server. */
  changeRole(role: Role, change: Partial<Role>): void {
    const changed = { ...role, ...change };
    this.guild.roles.set(role.id, changed);
    const event = { guild_id: GUILD, role: this.guild.roleTold(changed) };
    this.gateway.dispatch('GUILD_ROLE_UPDATE', event);
  }

  /** Someone deletes it. */
  deleteRole(role: Role): void {
    this.guild.dropRole(role.id);
    this.gateway.dispatch('GUILD_ROLE_DELETE', { guild_id: GUILD, role_id: role.id });
  }

  /** The owner hands the server over. https://discord.com/developers/docs/events/gateway-events#guild-update */
  changeOwner(to: User): void {
    this.guild.owner = to;
    this.gateway.dispatch('GUILD_UPDATE', this.guild.told().body);
  }

  /** Someone leaves it. */
  leave(person: User, guild = this.guild): void {
    guild.people.leave(person.id);
    const event = { guild_id: guild.id, user: person };
    this.gateway.dispatch('GUILD_MEMBER_REMOVE', event, INTENTS.members);
  }

  /** Someone kicks the bot. https://discord.com/developers/docs/events/gateway-events#guild-delete */
  kickBot(): void {
    this.guild.kickBot();
    this.gateway.dispatch('GUILD_DELETE', { id: GUILD });
  }

  /** Someone invites it again. https://discord.com/developers/docs/events/gateway-events#guild-create */
  inviteBot(): void {
    this.guild.inviteBot();
    this.gateway.dispatch('GUILD_CREATE', this.guild.created());
  }

  /** Somebody invites the bot into the other server. */
  openSecond(): StandInGuild {
    this.#guilds.push(this.second);
    this.gateway.dispatch('GUILD_CREATE', this.second.created());
    return this.second;
  }

  /** Delivers an interaction again. */
  redeliver(interaction: StandInInteraction): void {
    this.gateway.again('INTERACTION_CREATE', this.#events.get(interaction));
  }

  /** An interaction as delivered. */
  eventOf(interaction: StandInInteraction): unknown {
    return this.#events.get(interaction);
  }

  #use(shown: Shown, data: object, doing: Doing): StandInInteraction {
    const message = messageOf(shown);
    return this.#do(new StandInInteraction(3, shown), doing, { data: { id: 1, ...data }, message });
  }

  #do(interaction: StandInInteraction, doing: Doing, more: object): StandInInteraction {
    interaction.expired = doing.expired ?? false;
    this.#interactions.set(interaction.token, interaction);
    const [oldest] = this.#interactions.values();
    if (this.#interactions.size > KEPT && oldest !== undefined) {
      this.#interactions.delete(oldest.token);
      this.#events.delete(oldest);
    }
    const by = doing.by ?? this.someone;
    const guild = doing.place === 'second' ? this.second : this.guild;
    const event = {
      id: interaction.id,
      application_id: APPLICATION,
      type: interaction.type,
      token: interaction.token,
      version: 1,
      locale: doing.locale ?? 'en-US',
      entitlements: [],
      attachment_size_limit: 10_485_760,
      ...whoAndWhere(
        by,
        doing.place ?? 'server',
        guild.people.rolesOf(by.id),
        doing.may,
        guild.people.isPending(by.id),
        guild.people.joinedAt(by.id),
      ),
      ...(doing.thread !== undefined && threadOf(doing.thread)),
      ...more,
    };
    this.#events.set(interaction, event);
    if (this.delivery.urls.length > 0) this.delivery.deliver(interaction, event);
    else this.gateway.dispatch('INTERACTION_CREATE', event);
    return interaction;
  }
}

/** An entry of the audit log about something else than roles. */
type OtherNoted = ReturnType<typeof notedOf>;

function notedOf(action_type: number, by: User, person: User, changes?: readonly object[]) {
  const who = { id: snowflake(), user_id: by.id, target_id: person.id };
  return { ...who, action_type, ...(changes !== undefined && { changes }) };
}

/** An entry of the audit log as the gateway sends it. */
function told(entry: RolesNoted | OtherNoted | undefined, guild: StandInGuild) {
  return { ...entry, guild_id: guild.id };
}
