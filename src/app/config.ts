import { messageOf, UserError } from '#core/errors';
import { findMisspelt } from '#core/misspelt';
import { DEFAULT_THRESHOLDS, parseThresholds, type TierThresholds } from '#core/tier';
import {
  botToken,
  clientSecret,
  contactAddress,
  databaseLocation,
  headerText,
  hostName,
  interactionsMode,
  isPostgres,
  type LogLevel,
  logLevel,
  networks,
  nodeAddress,
  portNumber,
  projectId,
  publicKeyHex,
  readLocation,
  redisLocation,
  requestCount,
  rulesFile,
  serverAddress,
  updatesMode,
  webAddress,
  webhookSecret,
  yesOrNo,
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
  /** Undefined when there is no token: the chat is off. */
  readonly discord: DiscordConfig | undefined;
  /** Of the bot's application, for Linked Roles; see `linkedRolesUrl`. */
  readonly discordClientSecret: string | undefined;
  readonly telegram: TelegramConfig | undefined;
  /** What is set by a name that is nearly a setting's: a sentence for each. */
  readonly misspelt: readonly string[];
}

export interface DiscordConfig {
  readonly token: string;
  /** A REST proxy; Discord's own API when undefined. */
  readonly apiUrl: string | undefined;
  /** Whether the operator has allowed the bot to be told of all members. */
  readonly membersIntent: boolean;
  /** What proves that Discord delivers interactions to us, or undefined to connect to its gateway. */
  readonly http: { readonly publicKey: string } | undefined;
}

export interface TelegramConfig {
  readonly token: string;
  /** A Bot API server of one's own; Telegram's when undefined. */
  readonly apiUrl: string | undefined;
  /** Where updates are delivered and what proves them, or undefined to poll for them. */
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
}

/** Path of Discord's deliveries below PUBLIC_URL. */
export const DISCORD_INTERACTIONS_PATH = '/discord/interactions';

/** Path of Telegram's deliveries below PUBLIC_URL. */
export const TELEGRAM_WEBHOOK_PATH = '/telegram/webhook';

/** Variables by name, as in `process.env`. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Turns a variable's text into a value, or throws a sentence that says what it accepts. */
type Reader<T> = (text: string) => T;

/** Reads one variable; undefined when it isn't set. A reader that throws adds a fault. */
type Read = <T>(name: string, reader: Reader<T>) => T | undefined;

/**
 * Reads the configuration from the environment.
 * @throws UserError `wrong-configuration` with a line for every variable that is wrong
 */
export function loadConfig(env: Environment): Config {
  const faults: string[] = [];
  const misspelt = findMisspelt(namesSet(env), VARIABLES);
  const config = readConfig(env, faults);
  // A setting that seems to be missing may be there by a wrong name.
  if (faults.length > 0)
    throw new UserError('wrong-configuration', [...faults, ...misspelt].join('\n'));
  return { ...config, misspelt };
}

/** Names of the variables that are looked at. */
export const VARIABLES: readonly string[] = namesRead();

function namesRead(): string[] {
  // FATHOM_ENV_FILE says where the others are, so it is read before them.
  const names = ['FATHOM_ENV_FILE'];
  const asked = (_: object, name: string | symbol) => void names.push(String(name));
  readConfig(new Proxy({}, { get: asked }), []);
  return names;
}

function namesSet(env: Environment): string[] {
  return Object.keys(env).filter((name) => env[name]?.trim());
}

/** @param faults gets a line for every variable that is wrong */
function readConfig(env: Environment, faults: string[]): Omit<Config, 'misspelt'> {
  const read: Read = (name, reader) => {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return undefined;
    try {
      return reader(text);
    } catch (error) {
      faults.push(`${name}: ${messageOf(error)}`);
      return undefined;
    }
  };

  const databaseUrl = read('DATABASE_URL', databaseLocation);
  const databaseReadUrl = read('DATABASE_READ_URL', readLocation);
  if (databaseReadUrl !== undefined && !isPostgres(databaseUrl)) {
    faults.push('DATABASE_READ_URL: is for a DATABASE_URL that begins with postgres:');
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
    rulesPath: read('RULES', rulesFile),
    rateLimits: {
      public: read('RATE_LIMIT_PUBLIC', requestCount) ?? 100,
      key: read('RATE_LIMIT_KEY', requestCount) ?? 1000,
    },
    upstream,
    ethereumRpcUrl: read('ETHEREUM_RPC_URL', nodeAddress),
    algorandIndexerUrl: read('ALGORAND_INDEXER_URL', nodeAddress),
    walletConnectProjectId: read('WALLETCONNECT_PROJECT_ID', projectId),
    discord: readDiscord(read, faults),
    discordClientSecret: readClientSecret(read, publicUrl, faults),
    telegram: readTelegram(read, publicUrl, faults),
  };
}

type Places = Pick<Config, 'host' | 'port' | 'metricsHost' | 'metricsPort'>;

function readPlaces(read: Read, faults: string[]): Places {
  const host = read('HOST', hostName) ?? '127.0.0.1';
  const port = read('PORT', portNumber) ?? 8080;
  const metricsHost = read('METRICS_HOST', hostName) ?? '127.0.0.1';
  const metricsPort = read('METRICS_PORT', portNumber) ?? 9464;
  const isEverywhere = [host, metricsHost].some((each) => each === '0.0.0.0' || each === '::');
  if (port !== 0 && port === metricsPort && (host === metricsHost || isEverywhere)) {
    faults.push(`METRICS_PORT: is ${port}, as PORT is; give each its own`);
  }
  return { host, port, metricsHost, metricsPort };
}

function readClientSecret(read: Read, publicUrl: string | undefined, faults: string[]) {
  const secret = read('DISCORD_CLIENT_SECRET', clientSecret);
  if (secret !== undefined && !canReturn(publicUrl)) {
    faults.push(
      'DISCORD_CLIENT_SECRET: needs PUBLIC_URL beside it, the https address that Discord sends members back to',
    );
  }
  return secret;
}

/** Whether Discord would send a browser back there. */
function canReturn(publicUrl: string | undefined): boolean {
  const url = URL.parse(publicUrl ?? '');
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '');
  return url?.protocol === 'https:' || isHere;
}

function readUpstream(read: Read, faults: string[]): Config['upstream'] {
  const address = read('UPSTREAM_URL', serverAddress);
  const apiKey = read('UPSTREAM_API_KEY', headerText);
  if (address !== undefined) {
    return { url: address.endsWith('/v1') ? address : `${address}/v1`, apiKey };
  }
  if (apiKey !== undefined) {
    faults.push('UPSTREAM_API_KEY: has no use without UPSTREAM_URL; set that too, or leave it out');
  }
  return undefined;
}

function readDiscord(read: Read, faults: string[]): DiscordConfig | undefined {
  const token = read('DISCORD_TOKEN', botToken);
  const apiUrl = read('DISCORD_API_URL', serverAddress);
  const membersIntent = read('DISCORD_MEMBERS_INTENT', yesOrNo) ?? false;
  const mode = read('DISCORD_MODE', interactionsMode) ?? 'gateway';
  const publicKey = read('DISCORD_PUBLIC_KEY', publicKeyHex);
  if (token === undefined) {
    if (mode === 'http') faults.push('DISCORD_MODE: http needs DISCORD_TOKEN beside it');
    return undefined;
  }
  if (mode === 'gateway') return { token, apiUrl, membersIntent, http: undefined };
  if (publicKey !== undefined) return { token, apiUrl, membersIntent, http: { publicKey } };
  faults.push(
    'DISCORD_MODE: http needs DISCORD_PUBLIC_KEY beside it, which Discord shows under General Information',
  );
  return undefined;
}

/**
 * Where members connect for Discord's Linked Roles: on when there is a client secret, a bot, and an
 * address that Discord sends browsers back to.
 * @returns the instance's address, or undefined when they are off
 */
export function linkedRolesUrl(
  config: Pick<Config, 'discord' | 'discordClientSecret' | 'publicUrl'>,
): string | undefined {
  const { discord, discordClientSecret, publicUrl } = config;
  if (discord === undefined || discordClientSecret === undefined) return undefined;
  return canReturn(publicUrl) ? publicUrl : undefined;
}

function readTelegram(
  read: Read,
  publicUrl: string | undefined,
  faults: string[],
): TelegramConfig | undefined {
  const token = read('TELEGRAM_TOKEN', botToken);
  const apiUrl = read('TELEGRAM_API_URL', serverAddress);
  const mode = read('TELEGRAM_MODE', updatesMode) ?? 'polling';
  const secret = read('TELEGRAM_WEBHOOK_SECRET', webhookSecret);
  if (token === undefined) {
    if (mode === 'webhook') faults.push('TELEGRAM_MODE: webhook needs TELEGRAM_TOKEN beside it');
    return undefined;
  }
  if (mode === 'polling') return { token, apiUrl, webhook: undefined };
  if (publicUrl?.startsWith('https:') && secret !== undefined) {
    return { token, apiUrl, webhook: { url: publicUrl + TELEGRAM_WEBHOOK_PATH, secret } };
  }
  faults.push(
    'TELEGRAM_MODE: webhook needs PUBLIC_URL, an https address, and TELEGRAM_WEBHOOK_SECRET beside it',
  );
  return undefined;
}
