import { type APIGatewayBotInfo, RequestMethod, Routes } from 'discord.js';
import { RetryableError } from '#base';
import type { BotRest } from '#platforms/discord/rest/bot-rest';

/** Discord's sharding for a bot. */
export interface GatewayPlan {
  /** Number of shards that divide the servers; each holds 2,500 at most. */
  readonly shards: number;
  /** How many may sign in within the same five seconds. */
  readonly concurrency: number;
}

/** Shards connected together, by one replica at a time. */
export interface ShardSet {
  /** The claim a replica must hold to connect them. */
  readonly claim: string;
  readonly ids: readonly number[];
  readonly plan: GatewayPlan;
}

/** Far more than the largest bot has; anything above isn't from Discord. */
const MOST_SHARDS = 16_384;

/**
 * Fetches the gateway's URL and Discord's current recommendation.
 * https://discord.com/developers/docs/events/gateway#get-gateway-bot
 * @param retries immediate retries
 * @throws what `faultOf` explains
 */
export async function askGateway(
  rest: BotRest,
  signal: AbortSignal,
  retries = 0,
): Promise<{ readonly gateway: APIGatewayBotInfo; readonly plan: GatewayPlan }> {
  const request = { method: RequestMethod.Get, fullRoute: Routes.gatewayBot(), signal };
  const gateway = (await rest.request(request, retries)) as APIGatewayBotInfo;
  return { gateway, plan: planOf(gateway) };
}

/** @throws RetryableError if the response isn't Discord's */
function planOf({
  shards,
  session_start_limit: limit,
}: Pick<APIGatewayBotInfo, 'shards' | 'session_start_limit'>): GatewayPlan {
  const concurrency = Math.max(1, limit?.max_concurrency ?? 1);
  const isSane = (count: number) => Number.isInteger(count) && count >= 1 && count <= MOST_SHARDS;
  if (!isSane(shards) || !isSane(concurrency)) {
    throw new RetryableError("Discord didn't say how many shards to use.");
  }
  return { shards, concurrency };
}

export function isSamePlan(a: GatewayPlan, b: GatewayPlan): boolean {
  return a.shards === b.shards && a.concurrency === b.concurrency;
}

/**
 * The shard that delivers a server's events.
 * https://discord.com/developers/docs/events/gateway#sharding-sharding-formula
 */
export function shardOf(guild: string, { shards }: GatewayPlan): number {
  return Number((BigInt(guild) >> 22n) % BigInt(shards));
}

/**
 * The sets of a plan. Each has as many shards as may sign in at once: nearly always one, 16 for
 * very large bots. So a set connects in one go, and none of it waits five seconds per shard when
 * its replica dies. The name says which shards of how many, so replicas with different plans never
 * mistake each other's sets for their own.
 */
export function shardSets(plan: GatewayPlan): readonly ShardSet[] {
  const { shards, concurrency } = plan;
  return Array.from({ length: Math.ceil(shards / concurrency) }, (_, set) => {
    const first = set * concurrency;
    const last = Math.min(first + concurrency, shards) - 1;
    const ids = Array.from({ length: last - first + 1 }, (__, i) => first + i);
    return { claim: `discord:shards:${first}-${last}/${shards}`, ids, plan };
  });
}
