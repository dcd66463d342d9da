import { FACTS, guildCreated, guildTold, type MfaLevel } from './guild-facts.ts';
import { snowflake } from './ids.ts';
import type { Reply, Shown } from './interaction.ts';
import { Population } from './population.ts';
import { BOT, EVERYBODY_MAY, GUILD, memberOf, type User, user } from './world.ts';

/** https://discord.com/developers/docs/topics/permissions#permissions-bitwise-permission-flags */
export const MAY = {
  kick: 1n << 1n,
  ban: 1n << 2n,
  administrate: 1n << 3n,
  manageChannels: 1n << 4n,
  manageGuild: 1n << 5n,
  addReactions: 1n << 6n,
  viewAuditLog: 1n << 7n,
  sendMessages: 1n << 11n,
  manageMessages: 1n << 13n,
  mentionEveryone: 1n << 17n,
  mute: 1n << 22n,
  deafen: 1n << 23n,
  move: 1n << 24n,
  manageNicknames: 1n << 27n,
  manageRoles: 1n << 28n,
  manageWebhooks: 1n << 29n,
  manageExpressions: 1n << 30n,
  manageEvents: 1n << 33n,
  manageThreads: 1n << 34n,
  moderate: 1n << 40n,
  viewMonetization: 1n << 41n,
  pinMessages: 1n << 51n,
} as const;

export interface Role {
  readonly id: string;
  readonly name: string;
  position: number;
  managed: boolean;
  permissions: bigint;
  /** 1: members can choose it in onboarding. */
  flags: number;
  /** Left out if there are none, as Discord does. */
  tags: Readonly<Record<string, string | null>> | undefined;
  readonly color: number;
}

export interface Channel {
  readonly id: string;
  /** Whether the bot may post, and attach files. */
  takes: 'all' | 'no-files' | 'nothing';
  /** Whether everybody who sees it but moderators may only read. */
  isReadOnly?: boolean;
  /** What it gives roles besides their own permissions, by role. */
  readonly gives: Map<string, bigint>;
  readonly messages: (Shown & { readonly nonce: unknown })[];
}

/**
 * An entry of the audit log about a member's roles.
 * https://discord.com/developers/docs/resources/audit-log#audit-log-entry-object
 */
export interface RolesNoted {
  readonly id: string;
  readonly user_id: string;
  readonly target_id: string;
  readonly action_type: 25;
  readonly changes: readonly object[];
}

/** A role granted or removed, as in the guild's audit log. */
export interface Noted {
  readonly step: 'give' | 'take';
  readonly account: string;
  readonly role: string;
  readonly reason: string;
}

const refusal = (status: number, code: number, message: string): Reply => ({
  status,
  body: { code, message },
});
export const UNKNOWN_GUILD = refusal(404, 10004, 'Unknown Guild');
export const MISSING_ACCESS = refusal(403, 50001, 'Missing Access');
export const MISSING_PERMISSIONS = refusal(403, 50013, 'Missing Permissions');
export const UNKNOWN_MESSAGE = refusal(404, 10008, 'Unknown Message');
export const UNKNOWN_CHANNEL = refusal(404, 10003, 'Unknown Channel');
const UNKNOWN_USER = refusal(404, 10013, 'Unknown User');
const UNKNOWN_MEMBER = refusal(404, 10007, 'Unknown Member');
const UNKNOWN_ROLE = refusal(404, 10011, 'Unknown Role');
const INVALID_ROLE = refusal(400, 50028, 'Invalid Role');
const NEEDS_2FA = refusal(403, 60003, 'Two factor is required for this operation');

/** Audit log entries that are kept. */
const LOGGED = 1_000;

/** The bot's server: its members, their roles, and the bot's permissions. */
export class StandInGuild {
  readonly id: string;
  readonly name: string;
  owner = user('owner');
  readonly people = new Population();
  readonly channels = new Map<string, Channel>();
  readonly roles = new Map<string, Role>();
  readonly log: Noted[] = [];
  /** Called when the bot has given or taken a role. */
  onMemberChanged: (account: string) => void = () => undefined;
  /** Called for what the guild's audit log says of roles given or taken. */
  onRolesNoted: (by: User, step: Noted['step'], account: string, roles: readonly Role[]) => void =
    () => undefined;
  /** Entries of its audit log about roles, oldest first. */
  readonly noted: RolesNoted[] = [];
  /** The bot's managed role. */
  botRole: Role;
  /** Whether the bot is a member. */
  hasBot = true;
  mfaLevel: MfaLevel = 0;
  /** Whether the account that owns the bot has two-factor authentication. */
  ownerHasTwoFactor = true;
  /** Channels that Discord marks as having a purpose. */
  readonly purposes: Partial<
    Record<
      'system_channel_id' | 'public_updates_channel_id' | 'safety_alerts_channel_id',
      string | null
    >
  > = {};

  constructor(id = GUILD, name = FACTS.name) {
    this.id = id;
    this.name = name;
    this.addRole('@everyone', { id, position: 0, permissions: EVERYBODY_MAY });
    this.botRole = this.#addBotRole();
    this.people.join(BOT, [this.botRole.id]);
    this.people.join(this.owner);
  }

  /** The bot is kicked, and its role goes with it. */
  kickBot(): void {
    this.hasBot = false;
    this.dropRole(this.botRole.id);
    this.people.leave(BOT.id);
  }

  /** The bot is invited again, with a new role. */
  inviteBot(): void {
    this.hasBot = true;
    this.botRole = this.#addBotRole();
    this.people.join(BOT, [this.botRole.id]);
  }

  #addBotRole(): Role {
    const permissions = EVERYBODY_MAY | MAY.manageRoles | MAY.viewAuditLog;
    return this.addRole('fathom', { position: 50, managed: true, permissions });
  }

  /** A role below the bot's own, without permissions. */
  addRole(name: string, more: Partial<Role> = {}): Role {
    const role = {
      id: snowflake(),
      name,
      position: 1,
      managed: false,
      permissions: 0n,
      flags: 0,
      tags: undefined,
      color: 0,
      ...more,
    };
    this.roles.set(role.id, role);
    return role;
  }

  addChannel(takes: Channel['takes'] = 'all'): Channel {
    const channel: Channel = { id: snowflake(), takes, gives: new Map(), messages: [] };
    this.channels.set(channel.id, channel);
    return channel;
  }

  /** Somebody deletes it, so nobody has it any more. */
  dropRole(id: string): void {
    this.roles.delete(id);
    this.people.deleteRole(id);
  }

  /** A member. */
  addMember(name: string, roles: readonly Role[] = [], more: { bot?: boolean } = {}): User {
    const person = user(name, more);
    this.people.join(
      person,
      roles.map(({ id }) => id),
    );
    return person;
  }

  /** As in GUILD_CREATE. */
  created(): object {
    return guildCreated(this, this.owner.id, this.mfaLevel, this.#rolesTold(), [
      memberOf(BOT, [this.botRole.id]),
    ]);
  }

  told(): Reply {
    const body = {
      ...guildTold(this, this.owner.id, this.mfaLevel, this.#rolesTold()),
      ...this.purposes,
    };
    return { status: 200, body };
  }

  /** The bot's servers. https://discord.com/developers/docs/resources/user#get-current-user-guilds */
  listed(): object[] {
    const { icon, banner, features } = FACTS;
    const { id, name } = this;
    const permissions = String(this.#botRights());
    const it = { id, name, icon, banner, owner: false, permissions, features };
    return this.hasBot ? [it] : [];
  }

  /** An account, wherever it is. https://discord.com/developers/docs/resources/user#get-user */
  user(account: string): Reply {
    const body = this.people.account(account);
    return body === undefined ? UNKNOWN_USER : { status: 200, body };
  }

  member(account: string): Reply {
    const body = this.people.one(account);
    return body === undefined ? UNKNOWN_MEMBER : { status: 200, body };
  }

  members(after: string, limit: number): Reply {
    return { status: 200, body: this.people.after(BigInt(after), limit) };
  }

  /**
   * With `after` the oldest entries first, otherwise the newest.
   * https://discord.com/developers/docs/resources/audit-log#get-guild-audit-log
   */
  audit(after: string | undefined, limit: number): Reply {
    if (!this.botMaySeeAudit) return MISSING_PERMISSIONS;
    const since = this.noted.filter(({ id }) => BigInt(id) > BigInt(after ?? 0));
    const entries = (after === undefined ? since.toReversed() : since).slice(0, limit);
    const others = ['users', 'integrations', 'webhooks', 'guild_scheduled_events', 'threads'];
    const none = [...others, 'application_commands', 'auto_moderation_rules'].map((it) => [it, []]);
    return { status: 200, body: { audit_log_entries: entries, ...Object.fromEntries(none) } };
  }

  /** Grants or removes a role, if Discord would let the bot. */
  change(step: Noted['step'], account: string, roleId: string, reason: string): Reply {
    const role = this.roles.get(roleId);
    if (role === undefined) return UNKNOWN_ROLE;
    if (this.people.one(account) === undefined) return UNKNOWN_MEMBER;
    if (this.mfaLevel === 1 && !this.ownerHasTwoFactor) return NEEDS_2FA;
    const isLinked = role.tags !== undefined && 'guild_connections' in role.tags;
    if (role.managed || role.id === this.id || isLinked) return INVALID_ROLE;
    if (!this.#botMayGive(role)) return MISSING_PERMISSIONS;
    const had = this.people.rolesOf(account).includes(roleId);
    this.people.change(step, account, roleId);
    if (had !== (step === 'give')) {
      this.onMemberChanged(account);
      this.onRolesNoted(BOT, step, account, [role]);
    }
    this.log.push({ step, account, role: roleId, reason });
    if (this.log.length > LOGGED) this.log.shift();
    return { status: 204 };
  }

  /** https://discord.com/developers/docs/resources/guild#create-guild-role */
  makeRole({ name, permissions, color }: Readonly<Record<string, unknown>>): Reply {
    if (!this.#botMayManage()) return MISSING_PERMISSIONS;
    const rights = BigInt(String(permissions ?? '0'));
    const role = this.addRole(String(name), { permissions: rights, color: Number(color) });
    return { status: 200, body: this.roleTold(role) };
  }

  renameRole(id: string, { name }: Readonly<Record<string, unknown>>): Reply {
    const role = this.roles.get(id);
    if (role === undefined) return UNKNOWN_ROLE;
    if (!this.#botMayGive(role)) return MISSING_PERMISSIONS;
    const renamed = { ...role, name: String(name) };
    this.roles.set(id, renamed);
    return { status: 200, body: this.roleTold(renamed) };
  }

  deleteRole(id: string): Reply {
    const role = this.roles.get(id);
    if (role === undefined) return UNKNOWN_ROLE;
    if (!this.#botMayGive(role)) return MISSING_PERMISSIONS;
    this.dropRole(id);
    return { status: 204 };
  }

  /** https://discord.com/developers/docs/resources/guild#get-guild-role-member-counts */
  countRoles(): Reply {
    const counts: Record<string, number> = {};
    for (const role of this.roles.keys()) if (role !== this.id) counts[role] = 0;
    for (let after = 0n; ; ) {
      const page = this.people.after(after, 1_000);
      for (const role of page.flatMap(({ roles }) => roles)) {
        if (role in counts) counts[role] = (counts[role] ?? 0) + 1;
      }
      const last = page.at(-1);
      if (last === undefined) return { status: 200, body: counts };
      after = BigInt(last.user.id);
    }
  }

  #botMayManage(): boolean {
    return (this.#botRights() & (MAY.manageRoles | MAY.administrate)) !== 0n;
  }

  get botMaySeeAudit(): boolean {
    return (this.#botRights() & (MAY.viewAuditLog | MAY.administrate)) !== 0n;
  }

  #botRights(): bigint {
    if (!this.hasBot) return 0n;
    const ofRole = (role: string) => this.roles.get(role)?.permissions ?? 0n;
    return this.people
      .rolesOf(BOT.id)
      .map(ofRole)
      .reduce((all, each) => all | each, this.botRole.permissions | ofRole(this.id));
  }

  #botMayGive(role: Role): boolean {
    const isBelow =
      role.position < this.botRole.position ||
      (role.position === this.botRole.position && BigInt(role.id) > BigInt(this.botRole.id));
    return isBelow && this.#botMayManage();
  }

  #rolesTold(): object[] {
    return [...this.roles.values()].map((role) => this.roleTold(role));
  }

  roleTold(role: Role): object {
    const { tags, ...rest } = role;
    return {
      ...rest,
      ...(tags !== undefined && { tags }),
      permissions: String(role.permissions),
      colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
      hoist: false,
      mentionable: false,
      icon: null,
      unicode_emoji: null,
    };
  }
}
