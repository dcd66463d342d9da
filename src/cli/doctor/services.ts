import type { Redis } from 'ioredis';
import type { Config } from '#app';
import { type CheckFinding, fail, messageOf, ok, sanitizeText, warn } from '#base';
import type { CliContext } from '#cli/command';
import { counted, size } from '#cli/format';
import { openStoreOf } from '#cli/store';
import { isRuleRefusal, type RuleRefusal } from '#gating';
import { type LeaderboardEntry, type TierThresholds, tierOf } from '#reputation';
import type { Store } from '#storage';
import { checkTransport } from './database.ts';

const PATIENCE_MS = 2_000;
const LEAST_VERSION = [6, 2] as const;
const PINGS = 5;
/** Requests wait for Redis, so its latency should be well below theirs. */
const SLOW_MS = 10;
/** Share of maxmemory above which we warn. */
const MOST_USED = 0.9;
/** The best wallets of an upstream, whose tiers are compared with ours. */
const COMPARED = 200;

/** Whether replicas can share rate limits and caches. */
export async function checkRedis({ redisUrl }: Config): Promise<CheckFinding[]> {
  if (redisUrl === undefined) return [];
  // Loaded here so that a check without Redis starts without its client.
  const { Redis } = await import('ioredis');
  const redis = new Redis(redisUrl, {
    lazyConnect: true,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let cause: unknown;
  redis.on('error', (error) => {
    cause ??= error;
  });
  try {
    await redis.connect();
    const facts = factsOf(await redis.info());
    const milliseconds = await latencyOf(redis);
    const { ANSWER_MS } = await import('#cluster/redis');
    return [
      checkServer(facts),
      checkMemory(facts),
      checkLatency(milliseconds, ANSWER_MS),
      checkTransport('redis connection', redis.stream, 'Use a rediss: address.'),
    ];
  } catch (error) {
    // The first error names the cause; later ones only say that the connection failed.
    return [fail('redis', refusal(messageOf(cause ?? error), redisUrl))];
  } finally {
    redis.disconnect();
  }
}

function refusal(message: string, url: string): string {
  const place = URL.parse(url)?.host ?? '';
  const advice = /NOAUTH|WRONGPASS|NOPERM|invalid password/i.test(message)
    ? 'REDIS_URL needs a valid user and password, with permission for INFO and scripts.'
    : 'Check REDIS_URL, and that Redis is running.';
  const words = message.split('\n')[0] ?? '';
  return `${place} can't be used (${words}). ${advice} Until then, each replica counts requests on its own.`;
}

/** Fields of INFO: https://redis.io/docs/latest/commands/info/ */
type Facts = ReadonlyMap<string, string>;

function factsOf(info: string): Facts {
  const lines = info.split('\r\n').map((line) => line.split(':', 2) as [string, string?]);
  return new Map(lines.map(([name, value = '']) => [name, value]));
}

function checkServer(facts: Facts): CheckFinding {
  const version = facts.get('redis_version') ?? '';
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_VERSION;
  if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
    return fail(
      'redis',
      `version ${version}; ${LEAST_VERSION.join('.')} or newer is needed. Update it.`,
    );
  }
  if (facts.get('redis_mode') === 'cluster') {
    return fail('redis', 'is a cluster. Use a single server in REDIS_URL.');
  }
  if (facts.get('role') !== 'master') {
    return fail('redis', 'is a read-only replica. Use its primary.');
  }
  return ok('redis', `version ${version} is reachable`);
}

function checkMemory(facts: Facts): CheckFinding {
  const subject = 'redis memory';
  const most = Number(facts.get('maxmemory') ?? 0);
  const used = Number(facts.get('used_memory') ?? 0);
  const policy = facts.get('maxmemory_policy') ?? 'noeviction';
  if (most === 0) return ok(subject, `${size(used)} in use, no limit set`);
  const text = `${size(used)} of ${size(most)} in use, ${policy}`;
  if (policy !== 'noeviction' || used < most * MOST_USED) return ok(subject, text);
  return warn(
    subject,
    `${text}: once full, it rejects writes and each replica counts requests on its own. Set maxmemory-policy to allkeys-lru, or raise maxmemory.`,
  );
}

/** @param waited how many milliseconds a replica waits at most */
export function checkLatency(milliseconds: number, waited: number): CheckFinding {
  const subject = 'redis latency';
  const text = `${milliseconds.toFixed(1)} ms per command`;
  if (milliseconds < SLOW_MS) return ok(subject, text);
  if (milliseconds >= waited) {
    const never = `a replica waits ${waited} ms at most, so this Redis is never used, and each counts on its own`;
    return warn(subject, `${text}: ${never}. Move Redis closer.`);
  }
  return warn(subject, `${text}, added to every request. Move Redis closer.`);
}

/** The median of several pings. */
async function latencyOf(redis: Redis): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < PINGS; i++) {
    const started = performance.now();
    await redis.ping();
    taken.push(performance.now() - started);
  }
  return taken.sort((a, b) => a - b)[Math.floor(PINGS / 2)] ?? 0;
}

/** Whether the upstream is reachable, speaks our API and divides scores into tiers as we do. */
export async function checkUpstream({ upstream, thresholds }: Config): Promise<CheckFinding[]> {
  if (upstream === undefined) return [];
  const { openUpstream } = await import('#upstream');
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const opened = openUpstream({ ...upstream, log });
  try {
    const reading = opened.source.reading();
    const { totalUsers } = await reading.stats();
    const users = `${upstream.url} is reachable, with ${counted(totalUsers, 'wallet', 'wallets')}`;
    const { leaderboard } = await reading.leaderboard({ chain: 'all', limit: COMPARED, offset: 0 });
    const unlike = leaderboard.find(({ score, tier }) => tier !== tierOf(score, thresholds));
    return [
      ok('upstream', users),
      ...tierAdvice(unlike, thresholds),
      ...keyAdvice(upstream.apiKey),
    ];
  } catch (error) {
    return [fail('upstream', `${upstream.url} can't be used. ${messageOf(error)}`)];
  } finally {
    await opened.close();
  }
}

/** @param unlike somebody to whom the upstream gives another tier than TIERS does */
function tierAdvice(
  unlike: Pick<LeaderboardEntry, 'score' | 'tier'> | undefined,
  thresholds: TierThresholds,
): CheckFinding[] {
  if (unlike === undefined) return [];
  const { score, tier } = unlike;
  const text = `calls ${counted(score, 'point', 'points')} ${tier}, which would be ${tierOf(score, thresholds)} here: set TIERS as that server has it, or cards say the wrong distance to the next tier.`;
  return [warn('upstream tiers', text)];
}

function keyAdvice(apiKey: string | undefined): CheckFinding[] {
  if (apiKey !== undefined) return [];
  const text =
    'no key: limited to 100 requests per minute. Set UPSTREAM_API_KEY to a key of that instance for 1000.';
  return [warn('upstream key', text)];
}

/** Whether the name services that are configured can be asked. They're optional, so none is missed. */
export async function checkNames(config: Config): Promise<CheckFinding[]> {
  const { demo, ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, privateNetworks } = config;
  if (demo || (ethereumRpcUrl ?? solanaRpcUrl ?? nfdApiUrl) === undefined) return [];
  const [{ checkNameServices }, { TargetGuard }] = await Promise.all([
    import('#names/services'),
    import('#base/json-http'),
  ]);
  const results = await checkNameServices(config, new TargetGuard({ privateNetworks }));
  return results.map(({ service, error }) => {
    const subject = `${service} names`;
    if (error === undefined) return ok(subject, 'can be looked up');
    return warn(subject, `can't be looked up, so addresses are shown. ${messageOf(error)}`);
  });
}

/** Whether members can link wallets, and which nodes can verify their proofs. */
export async function checkLinking(config: Config): Promise<CheckFinding[]> {
  if (config.platforms.every(({ start }) => start === undefined)) return [];
  return [checkPage(config), ...(await checkNodes(config))];
}

function checkPage({ publicUrl }: Config): CheckFinding {
  if (publicUrl === undefined) {
    const text =
      'PUBLIC_URL is not set: the linking page opens on this machine only. Set it to the https address of this instance.';
    return warn('linking', text);
  }
  if (new URL(publicUrl).pathname !== '/') {
    const text = `${publicUrl} has a path, and the linking page only works at the root of a host. Give Fathom its own host.`;
    return warn('linking', text);
  }
  if (publicUrl.startsWith('https:'))
    return ok('linking', `wallets are linked at ${publicUrl}/link`);
  const text = `${publicUrl} is not https, and many wallets refuse such a page. Put a proxy with a certificate in front.`;
  return warn('linking', text);
}

async function checkNodes(config: Config): Promise<CheckFinding[]> {
  const missing = missingNodes(config);
  if (config.ethereumRpcUrl === undefined && config.algorandIndexerUrl === undefined) {
    return missing;
  }
  const { checkServices } = await import('#linking/proofs');
  const results = await checkServices(config);
  const found = results.map(({ name, error }) =>
    error === undefined ? ok(name, 'answers') : fail(name, `can't be used. ${messageOf(error)}`),
  );
  return [...found, ...missing];
}

/** Which wallets can't be linked, or could be linked wrongly, without a node. */
function missingNodes({ ethereumRpcUrl, algorandIndexerUrl }: Config): CheckFinding[] {
  const findings: CheckFinding[] = [];
  if (ethereumRpcUrl === undefined) {
    const text =
      "ETHEREUM_RPC_URL is not set: contract wallets such as Safe can't be linked. Set it to an Ethereum mainnet node.";
    findings.push(warn('ethereum node', text));
  }
  if (algorandIndexerUrl === undefined) {
    const text =
      "ALGORAND_INDEXER_URL is not set: a rekeyed Algorand account still links with its old key and can't link with its new one. Set it to a mainnet indexer or algod.";
    findings.push(warn('algorand indexer', text));
  }
  return findings;
}

/** Whether webhooks deliver. Only for a database that holds data, as others hold none. */
export async function checkWebhooks(
  config: Config,
  context: CliContext,
  hasData: boolean,
): Promise<CheckFinding[]> {
  if (!hasData) return [];
  try {
    const store = await openStoreOf(config, context);
    try {
      const all = await store.webhooks.list();
      if (all.length === 0) return [];
      if (config.upstream !== undefined) return [warn('webhooks', UPSTREAM)];
      const paused = all.flatMap(({ id, pause }) =>
        pause === undefined
          ? []
          : [
              warn(
                'webhooks',
                `${id} is paused. ${pause.reason} Run "fathom webhooks resume ${id}".`,
              ),
            ],
      );
      const held = all.filter((each) => each.held > 0 && each.pause === undefined);
      const failing = held.map((each) => {
        const why = each.lastAttempt?.isTaken === false ? ` (${each.lastAttempt.result})` : '';
        return warn(
          'webhooks',
          `${each.id} holds ${counted(each.held, 'event', 'events')} that its receiver hasn't accepted${why}.`,
        );
      });
      const problems = [...paused, ...failing];
      return problems.length > 0 ? problems : [ok('webhooks', `${all.length} active`)];
    } finally {
      await store.close();
    }
  } catch (error) {
    return [fail('webhooks', messageOf(error))];
  }
}

const UPSTREAM =
  'UPSTREAM_URL is set, so this instance has no changes to send: its webhooks stay silent. Add them at the instance it reads from.';

/** What each says to the operator. */
const REASONS: Readonly<Record<RuleRefusal, string>> = {
  'no-role': 'the role was deleted',
  'no-community': "the bot isn't there any more",
  'not-allowed': 'the bot may not give it; /gate list there says why',
  'invalid-role': 'the role belongs to an integration, or to everyone',
  'needs-2fa': 'the account that owns the bot needs two-factor authentication',
  'community-full': 'the group is full',
};

const NAMED = 5;
const NAME = 40;

/** Whether rules can give what they should, as the last look at each found. Reads the database alone. */
export async function checkGating(
  config: Config,
  context: CliContext,
  hasData: boolean,
): Promise<CheckFinding[]> {
  if (!hasData || config.demo) return [];
  try {
    const store = await openStoreOf(config, context);
    try {
      return await ofStore(store);
    } finally {
      await store.close();
    }
  } catch (error) {
    return [warn('gating', messageOf(error))];
  }
}

async function ofStore({ gating }: Pick<Store, 'gating'>): Promise<CheckFinding[]> {
  let count = 0;
  const stuck = new Map<RuleRefusal, string[]>();
  for (const community of await gating.communities()) {
    for (const { paused, grantName } of await gating.rulesOf(community)) {
      count += 1;
      if (!isRuleRefusal(paused)) continue;
      stuck.set(paused, [...(stuck.get(paused) ?? []), grantName]);
    }
  }
  if (count === 0) return [];
  const all = counted(count, 'rule', 'rules');
  if (stuck.size === 0) return [ok('gating', `${all}, none stopped by its platform`)];
  return [...stuck].map(([why, names]) => {
    const shown = names.slice(0, NAMED).map((name) => sanitizeText(name, NAME));
    const more = names.length > NAMED ? ', …' : '';
    const of = `${names.length} of ${all} can't give what they should`;
    const next = 'Afterwards, /gate run resumes them.';
    return warn('gating', `${of} (${shown.join(', ')}${more}): ${REASONS[why]}. ${next}`);
  });
}
