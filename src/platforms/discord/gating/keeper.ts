import type { Command } from '#commands/answering';
import type { CommunityAdapter } from '#gating';
import type { PermissionsOf } from '#platforms/discord/interactions/caller';
import { isSnowflake } from '#platforms/discord/snowflake';
import { GateApi, type GateApiOptions, type SignedIn } from './api.ts';
import { RoleChanges } from './changes.ts';
import { Guilds, permissionsIn } from './guilds.ts';
import { inspectRole } from './inspect.ts';
import { Members } from './members.ts';
import { OperatorNotices } from './operator-notices.ts';
import { BotOwner } from './owner.ts';
import { writeReport } from './report.ts';

export interface KeeperOptions extends GateApiOptions {
  readonly commands: readonly Command[];
  /** Whether the operator has enabled the Server Members Intent. */
  readonly membersIntent: boolean;
}

export interface DiscordKeeper extends CommunityAdapter {
  readonly permissionsOf: PermissionsOf;
  /** Starts sending; until then, everything throws RetryableError. */
  use(signedIn: SignedIn): void;
  /** Aborts requests in flight, and sends nothing more. */
  close(): void;
}

/** Grants and removes roles of Discord servers over REST. */
export function createKeeper(options: KeeperOptions): DiscordKeeper {
  const { commands, membersIntent, log, clock } = options;
  const api = new GateApi(options);
  const guilds = new Guilds(api, clock);
  const owner = new BotOwner(api, clock);
  const members = new Members(api, guilds);
  const notices = new OperatorNotices(log, clock);
  const changes = new RoleChanges(api, guilds, notices, log, clock);
  return {
    use: (signedIn) => api.use(signedIn),
    close: () => api.close(),
    async permissionsOf(community, account, roles) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild === undefined ? 0n : permissionsIn(guild, account, roles);
    },
    async inspect(community, grant, maker, isFresh) {
      const found = await inspectRole(api, guilds, owner, community, grant, maker, isFresh);
      if (found.obstacles.length === 0) changes.forgive(community, grant);
      notices.found(community, grant, found);
      return found;
    },
    member: (community, account, isFresh) => members.one(community, account, isFresh),
    members: (community, signal) =>
      membersIntent && isSnowflake(community) ? members.all(community, signal) : undefined,
    give: (...given) => changes.give(...given),
    take: (...given) => changes.take(...given),
    invite: async () => undefined,
    async locale(community) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild?.locale;
    },
    report: (_community, channel, card, key) => writeReport(api, commands, log, channel, card, key),
    async otherPlaces(community) {
      const guild = isSnowflake(community) ? await guilds.recent(community) : undefined;
      return guild?.places ?? [];
    },
  };
}
