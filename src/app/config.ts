import { messageOf, UserError } from '#core/errors';
import { findMisspelled } from '#core/misspelled';
import { DEFAULT_THRESHOLDS, parseThresholds, type TierThresholds } from '#core/tier';
import { platforms as PLATFORMS } from '#platforms/index';
import type { ConfiguredPlatform, Platform } from '#runtime/platform';
import { type SettingsReader, serverAddress } from '#runtime/settings';
import {
  contactAddress,
  databaseLocation,
  headerText,
  hostName,
  isPostgres,
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
  webAddress,
} from './config-values.ts';

/** Everything that can be configured, read once at the start. */
export interface Config {
  /** Address that the API listens on; loopback unless told otherwise. */
  readonly host: string;
  readonly port: number;
  /** The API's address as others see it, with no slash at the end. */
  readonly publicUrl: string | undefined;
  /** Whom to write to about this instance, `mailto:` or `https:`. */
  readonly contact: string | undefined;
  /** Address that the figures for Prometheus are served on; loopback unless told otherwise. */
  readonly metricsHost: string;
  readonly metricsPort: number;
  /** Networks (CIDR) whose forwarded headers are believed. */
  readonly trustProxy: readonly string[];
  readonly logLevel: LogLevel;
  readonly databaseUrl: string;
  /** A copy of the database that answers what is only read; undefined: the database itself does. */
  readonly databaseReadUrl: string | undefined;
  /** What replicas share limits and answers through; undefined: each keeps its own. */
  readonly redisUrl: string | undefined;
  /** Nothing was configured: a demo data set in memory. */
  readonly demo: boolean;
  readonly thresholds: TierThresholds;
  /** A file with rules that make scores of evidence; undefined: none. */
  readonly rulesPath: string | undefined;
  /** Requests a minute. */
  readonly rateLimits: { readonly public: number; readonly key: number };
  /** Another instance to answer from, rather than from the database. */
  readonly upstream: { readonly url: string; readonly apiKey: string | undefined } | undefined;
  /** A node that is asked about contract wallets; undefined: they can't be linked. */
  readonly ethereumRpcUrl: string | undefined;
  /** Tells of accounts that were rekeyed; undefined: nobody is asked. */
  readonly algorandIndexerUrl: string | undefined;
  /** Of the operator at WalletConnect; undefined: wallets aren't reached that way. */
  readonly walletConnectProjectId: string | undefined;
  /** Every platform with its settings, whether it is configured or not. */
  readonly platforms: readonly PlatformSettings[];
  /** What is set by a name that is nearly a setting's: a sentence for each. */
  readonly misspelt: readonly string[];
}

type PlatformSettings = ConfiguredPlatform & { readonly platform: Platform };

/** Variables by name, as in `process.env`. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the configuration from the environment.
 * @param platforms all that there are, configured or not
 * @throws UserError `wrong-configuration` with a line for every variable that is wrong
 */
export function loadConfig(env: Environment, platforms = PLATFORMS): Config {
  const faults: string[] = [];
  const misspelt = findMisspelled(namesSet(env), variablesOf(platforms));
  const config = readConfig(env, platforms, faults);
  // A setting that seems to be missing may be there by a wrong name.
  if (faults.length > 0)
    throw new UserError('wrong-configuration', [...faults, ...misspelt].join('\n'));
  return { ...config, misspelt };
}

/** Names of the variables that are looked at. */
export function variablesOf(platforms = PLATFORMS): readonly string[] {
  // FATHOM_ENV_FILE says where the others are, so it is read before them.
  const names = ['FATHOM_ENV_FILE'];
  const asked = (_: object, name: string | symbol) => void names.push(String(name));
  readConfig(new Proxy({}, { get: asked }), platforms, []);
  return names;
}

function namesSet(env: Environment): string[] {
  return Object.keys(env).filter((name) => env[name]?.trim());
}

/** @param faults gets a line for every variable that is wrong */
function readConfig(
  env: Environment,
  platforms: readonly Platform[],
  faults: string[],
): Omit<Config, 'misspelt'> {
  const read: SettingsReader['read'] = (name, reader) => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return undefined;
    try {
      return reader(text);
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
  const upstream = readUpstream(read, faults);
  const publicUrl = read('PUBLIC_URL', webAddress);
  return {
    ...readPlaces(read, faults),
    publicUrl,
    contact: read('CONTACT', contactAddress),
    trustProxy: read('TRUST_PROXY', networks) ?? [],
    logLevel: read('LOG_LEVEL', logLevel) ?? 'info',
    databaseUrl: databaseUrl ?? 'sqlite::memory:',
    databaseReadUrl,
    redisUrl: read('REDIS_URL', redisLocation),
    demo: databaseUrl === undefined && upstream === undefined,
    thresholds: read('TIERS', parseThresholds) ?? DEFAULT_THRESHOLDS,
    rulesPath: read('RULES', rulesPath),
    rateLimits: {
      public: read('RATE_LIMIT_PUBLIC', requestCount) ?? 100,
      key: read('RATE_LIMIT_KEY', requestCount) ?? 1000,
    },
    upstream,
    ethereumRpcUrl: read('ETHEREUM_RPC_URL', nodeAddress),
    algorandIndexerUrl: read('ALGORAND_INDEXER_URL', nodeAddress),
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
