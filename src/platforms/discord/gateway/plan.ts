import { type APIGatewayBotInfo, RequestMethod, Routes } from 'discord.js';
import { RetryableError } from '#core/errors';
import type { BotRest } from '#platforms/discord/bot-rest';

/** How Discord wants a bot's servers split up. */
export interface GatewayPlan {
  /** Sessions of the gateway that share the servers; one holds 2,500 at most. */
  readonly shards: number;
  /** How many of them may sign in within the same five seconds. */
  readonly concurrency: number;
}

/** Shards that are connected together, by one replica at a time. */
export interface ShardSet {
  /** What a replica must hold to connect them. */
  readonly claim: string;
  readonly ids: readonly number[];
  readonly plan: GatewayPlan;
}

/** Far more than the largest bot has; whatever says more is not Discord. */
const MOST_SHARDS = 16_384;

/**
 * Where the gateway is, and what Discord recommends now.
 * https://discord.com/developers/docs/events/gateway#get-gateway-bot
 * @param retries how often to try again at once
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

/** @throws RetryableError when the answer is none of Discord's */
function planOf({
  shards,
  session_start_limit: limit,
}: Pick<APIGatewayBotInfo, 'shards' | 'session_start_limit'>): GatewayPlan {
  const concurrency = Math.max(1, limit?.max_concurrency ?? 1);
  const isSane = (count: number) => Number.isInteger(count) && count >= 1 && count <= MOST_SHARDS;
  if (!isSane(shards) || !isSane(concurrency)) {
    throw new RetryableError('Discord did not say how many shards it wants.');
  }
  return { shards, concurrency };
}

export function isSamePlan(a: GatewayPlan, b: GatewayPlan): boolean {
  return a.shards === b.shards && a.concurrency === b.concurrency;
}

/**
 * The sets of a plan. One has as many shards as may sign in at once: nearly always a single one, 16
 * where a bot is very large. So a set is connected in one go, and when its replica dies none of it
 * waits for five seconds a shard. The name says which shards of how many, so that replicas that go
 * by different plans never mistake each other's sets for their own.
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
