import { hash } from 'node:crypto';
import { DAY_SECONDS, findMisspelled, messageOf, UserError } from '#base';
import { proxyLocation, type SettingsReader, serverAddress } from '#base/process';
import type { AgreedSettings } from '#cluster';
import type { ConfiguredPlatform, Platform } from '#platforms';
import { discord } from '#platforms/discord';
import { telegram } from '#platforms/telegram';
import {
  DEFAULT_THRESHOLDS,
  type Explorers,
  type FeedRetention,
  parseExplorers,
  parseThresholds,
  type TierThresholds,
} from '#reputation';
import {
  bareValue,
  changeCount,
  contactAddress,
  databaseLocation,
  dayCount,
  drainSeconds,
  headerText,
  hostName,
  isPostgres,
  keepAliveSeconds,
  type LogLevel,
  logLevel,
  networks,
  nodeAddress,
  portNumber,
  projectId,
  readLocation,
  redisLocation,
  requestCount,
  rulesPath,
  streamCount,
  webAddress,
} from './config-values.ts';

/** Every chat platform, in the order in which they are shown. To add one, add it here. */
export const PLATFORMS: readonly Platform[] = [discord, telegram];

/** The whole configuration, read once at startup. */
export interface Config {
  /** Address the API listens on; loopback by default. */
  readonly host: string;
  readonly port: number;
  /** The API's public URL, without a trailing slash. */
  readonly publicUrl: string | undefined;
  /** The operator's contact, `mailto:` or `https:`. */
  readonly contact: string | undefined;
  /** Address the metrics are served on; loopback by default. */
  readonly metricsHost: string;
  readonly metricsPort: number;
  /** Networks (CIDR) whose forwarded headers we trust. */
  readonly trustProxy: readonly string[];
  /** Networks (CIDR) that we may connect to when someone else chooses the address. */
  readonly privateNetworks: readonly string[];
  /** URLs of proxies, only so that what they hold stays secret: `proxyFor` says which one a request takes. */
  readonly proxies: readonly string[];
  readonly logLevel: LogLevel;
  readonly databaseUrl: string;
  /** A read replica of the database; undefined to read from the database itself. */
  readonly databaseReadUrl: string | undefined;
  /** Redis, through which replicas share limits and responses; undefined: each has its own. */
  readonly redisUrl: string | undefined;
  /** Nothing is configured: demo data in memory. */
  readonly demo: boolean;
  readonly thresholds: TierThresholds;
  /** Explorers to link to, ahead of the built-in ones. */
  readonly explorers: Explorers | undefined;
  /** A file with the rules that turn evidence into scores. */
  readonly rulesPath: string | undefined;
  /** Requests per minute. */
  readonly rateLimits: { readonly public: number; readonly key: number };
  /** For how long to take new connections while stopping, in seconds. */
  readonly drainSeconds: number;
  /** For how long an idle connection stays open, in seconds. */
  readonly keepAliveSeconds: number;
  /** Concurrent streams of changes. */
  readonly streamLimits: { readonly client: number; readonly all: number };
  /** How much of the feed of changes to keep. */
  readonly keptChanges: FeedRetention;
  /** Another instance to read from instead of the database. */
  readonly upstream: { readonly url: string; readonly apiKey: string | undefined } | undefined;
  /** A node to check contract wallets and look up ENS names with; undefined: neither. */
  readonly ethereumRpcUrl: string | undefined;
  /** A node to look up SNS names with; undefined: no lookup. */
  readonly solanaRpcUrl: string | undefined;
  /** An API to look up NFD names with; undefined: no lookup. */
  readonly nfdApiUrl: string | undefined;
  /** Finds rekeyed accounts; undefined: no lookup. */
  readonly algorandIndexerUrl: string | undefined;
  /** Raises the limits of Snapshot's hub. */
  readonly snapshotApiKey: string | undefined;
  /** The operator's project id; undefined: no WalletConnect. */
  readonly walletConnectProjectId: string | undefined;
  /** Every platform's settings, configured or not. */
  readonly platforms: readonly PlatformSettings[];
  /** Warnings about misspelled variables, one sentence each. */
  readonly misspelt: readonly string[];
}

type PlatformSettings = ConfiguredPlatform & { readonly platform: Platform };

/** Prefixes of settings that nobody else uses, besides the platforms' ids. */
const OURS = ['UPSTREAM_', 'WALLETCONNECT_', 'RATE_LIMIT_', 'FATHOM_'];

/** Variables by name, as in `process.env`. An empty one counts as unset. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from the environment.
 * @param platforms all platforms, configured or not
 * @throws UserError `wrong-configuration` with a line for every invalid variable
 */
export function loadConfig(env: Environment, platforms = PLATFORMS): Config {
  const faults: string[] = [];
  const prefixes = [...OURS, ...platforms.map(({ id }) => `${id.toUpperCase()}_`)];
  const misspelt = findMisspelled(namesSet(env), variablesOf(platforms), prefixes);
  const config = readConfig(env, platforms, faults);
  // A setting that seems missing may just be misspelled.
  if (faults.length > 0)
    throw new UserError('wrong-configuration', [...faults, ...misspelt].join('\n'));
  return { ...config, misspelt };
}

/** Names of the variables we read. */
export function variablesOf(platforms = PLATFORMS): readonly string[] {
  // Read before the others, as one locates them and the other is for every connection.
  const names = ['FATHOM_ENV_FILE', 'NODE_EXTRA_CA_CERTS'];
  const asked = (_: object, name: string | symbol) => void names.push(String(name));
  readConfig(new Proxy({}, { get: asked }), platforms, []);
  return names;
}

function namesSet(env: Environment): string[] {
  return Object.keys(env).filter((name) => env[name]?.trim());
}

/** @param faults receives a line for every invalid variable */
function readConfig(
  env: Environment,
  platforms: readonly Platform[],
  faults: string[],
): Omit<Config, 'misspelt'> {
  const read: SettingsReader['read'] = (name, reader) => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return undefined;
    try {
      return reader(bareValue(name, text));
    } catch (error) {
      faults.push(`${name}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const fault = (sentence: string) => void faults.push(sentence);

  const databaseUrl = read('DATABASE_URL', databaseLocation);
  const databaseReadUrl = read('DATABASE_READ_URL', readLocation);
  if (databaseReadUrl !== undefined && !isPostgres(databaseUrl)) {
    faults.push('DATABASE_READ_URL: requires a DATABASE_URL that begins with postgres:');
  }
  const proxies = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'].flatMap(
    (name) => read(name, proxyLocation) ?? [],
  );
  for (const name of ['no_proxy', 'NO_PROXY']) read(name, (text) => text);
  const upstream = readUpstream(read, faults);
  const publicUrl = read('PUBLIC_URL', webAddress);
  return {
    ...readPlaces(read, faults),
    publicUrl,
    contact: read('CONTACT', contactAddress),
    trustProxy: read('TRUST_PROXY', networks) ?? [],
    privateNetworks: read('PRIVATE_NETWORKS', networks) ?? [],
    logLevel: read('LOG_LEVEL', logLevel) ?? 'info',
    proxies,
    databaseUrl: databaseUrl ?? 'sqlite::memory:',
    databaseReadUrl,
    redisUrl: read('REDIS_URL', redisLocation),
    demo: databaseUrl === undefined && upstream === undefined,
    thresholds: read('TIERS', parseThresholds) ?? DEFAULT_THRESHOLDS,
    explorers: read('EXPLORERS', parseExplorers),
    rulesPath: read('RULES', rulesPath),
    rateLimits: {
      public: read('RATE_LIMIT_PUBLIC', requestCount) ?? 100,
      key: read('RATE_LIMIT_KEY', requestCount) ?? 1000,
    },
    drainSeconds: read('DRAIN_SECONDS', drainSeconds) ?? 0,
    keepAliveSeconds: read('KEEP_ALIVE_SECONDS', keepAliveSeconds) ?? 65,
    streamLimits: {
      client: read('STREAMS_PER_CLIENT', streamCount) ?? 20,
      all: read('STREAMS_MAX', streamCount) ?? 5_000,
    },
    keptChanges: {
      age: (read('CHANGES_DAYS', dayCount) ?? 30) * DAY_SECONDS,
      count: read('CHANGES_MAX', changeCount) ?? 10_000_000,
    },
    upstream,
    ethereumRpcUrl: read('ETHEREUM_RPC_URL', nodeAddress),
    solanaRpcUrl: read('SOLANA_RPC_URL', nodeAddress),
    nfdApiUrl: read('NFD_API_URL', nodeAddress),
    algorandIndexerUrl: read('ALGORAND_INDEXER_URL', nodeAddress),
    snapshotApiKey: read('SNAPSHOT_API_KEY', headerText),
    walletConnectProjectId: read('WALLETCONNECT_PROJECT_ID', projectId),
    platforms: platforms.map((platform) => ({
      platform,
      ...platform.configure({ read, fault, publicUrl }),
    })),
  };
}

type Places = Pick<Config, 'host' | 'port' | 'metricsHost' | 'metricsPort'>;

function readPlaces(read: SettingsReader['read'], faults: string[]): Places {
  const host = read('HOST', hostName) ?? '127.0.0.1';
  const port = read('PORT', portNumber) ?? 8080;
  const metricsHost = read('METRICS_HOST', hostName) ?? '127.0.0.1';
  const metricsPort = read('METRICS_PORT', portNumber) ?? 9464;
  const isEverywhere = [host, metricsHost].some((each) => each === '0.0.0.0' || each === '::');
  if (port !== 0 && port === metricsPort && (host === metricsHost || isEverywhere)) {
    faults.push(`METRICS_PORT: is ${port}, the same as PORT; use different ports`);
  }
  return { host, port, metricsHost, metricsPort };
}

function readUpstream(read: SettingsReader['read'], faults: string[]): Config['upstream'] {
  const address = read('UPSTREAM_URL', serverAddress);
  const apiKey = read('UPSTREAM_API_KEY', headerText);
  if (address !== undefined) {
    return { url: address.endsWith('/v1') ? address : `${address}/v1`, apiKey };
  }
  if (apiKey !== undefined) {
    faults.push('UPSTREAM_API_KEY: requires UPSTREAM_URL; set that too, or leave it out');
  }
  return undefined;
}

/** Enough to tell settings apart, too little to find out what they are. */
const DIGITS = 12;

/**
 * What all replicas of an instance must have the same: wallets, members and clients meet any of them. Settings that
 * mean the same are the same, in whatever order or letters they are written.
 */
export function agreedSettings(config: Config): AgreedSettings {
  const { thresholds, upstream, publicUrl, explorers, rateLimits, keptChanges } = config;
  const { ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, algorandIndexerUrl } = config;
  const values = {
    TIERS: thresholds,
    UPSTREAM_URL: upstream?.url,
    PUBLIC_URL: publicUrl,
    EXPLORERS: explorers && pagesOf(explorers),
    RATE_LIMIT_PUBLIC: rateLimits.public,
    RATE_LIMIT_KEY: rateLimits.key,
    CHANGES_DAYS: keptChanges.age,
    CHANGES_MAX: keptChanges.count,
    PRIVATE_NETWORKS: config.privateNetworks.toSorted(),
    WALLETCONNECT_PROJECT_ID: config.walletConnectProjectId,
    // Each may have a node of its own; but a name that one finds must be one to the others.
    ETHEREUM_RPC_URL: ethereumRpcUrl !== undefined,
    SOLANA_RPC_URL: solanaRpcUrl !== undefined,
    NFD_API_URL: nfdApiUrl !== undefined,
    ALGORAND_INDEXER_URL: algorandIndexerUrl !== undefined,
  };
  const ofBots = config.platforms.flatMap(({ agreed }) =>
    // A replica may serve the API alone.
    Object.entries(agreed).filter(([, value]) => value !== undefined),
  );
  // Which Redis a URL leads to, only that Redis can tell; see `openCluster`.
  const none = config.redisUrl === undefined ? { REDIS_URL: undefined } : {};
  return Object.fromEntries(
    [...Object.entries({ ...values, ...none }), ...ofBots].map(([name, value]) => [
      name,
      hash('sha256', JSON.stringify(value ?? null)).slice(0, DIGITS),
    ]),
  );
}

/** Explorers as the setting names them, sorted, so that equal settings compare equal. */
function pagesOf(explorers: Explorers): string[] {
  return [...explorers]
    .flatMap(([chain, pages]) => Object.values(pages).map((url) => `${chain}=${url}`))
    .toSorted((a, b) => (a < b ? -1 : 1));
}
