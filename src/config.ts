import { isIP } from 'node:net';
import { messageOf, UserError } from '#core/errors';
import { DEFAULT_THRESHOLDS, parseThresholds, type TierThresholds } from '#core/tier';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Everything that can be configured, read once at the start. */
export interface Config {
  /** Address that the API listens on; loopback unless told otherwise. */
  readonly host: string;
  readonly port: number;
  /** The API's address as others see it, with no slash at the end. */
  readonly publicUrl: string | undefined;
  /** Address that the figures for Prometheus are served on; loopback unless told otherwise. */
  readonly metricsHost: string;
  readonly metricsPort: number;
  /** Networks (CIDR) whose forwarded headers are believed. */
  readonly trustProxy: readonly string[];
  readonly logLevel: LogLevel;
  readonly databaseUrl: string;
  /** Nothing was configured: a demo data set in memory. */
  readonly demo: boolean;
  readonly thresholds: TierThresholds;
  /** Requests a minute. */
  readonly rateLimits: { readonly public: number; readonly key: number };
  /** Another instance to answer from, rather than from the database. */
  readonly upstream: { readonly url: string; readonly apiKey: string | undefined } | undefined;
  /** A node that is asked about contract wallets; undefined: they can't be linked. */
  readonly ethereumRpcUrl: string | undefined;
  /** Tells of accounts that were rekeyed; undefined: nobody is asked. */
  readonly algorandIndexerUrl: string | undefined;
  /** Undefined when there is no token: the chat is off. */
  readonly discord: DiscordConfig | undefined;
  /** Of the bot's application, for Linked Roles; see `linkedRolesUrl`. */
  readonly discordClientSecret: string | undefined;
  readonly telegram: TelegramConfig | undefined;
}

export interface DiscordConfig {
  readonly token: string;
  /** A REST proxy; Discord's own API when undefined. */
  readonly apiUrl: string | undefined;
  /** Whether the operator has allowed the bot to be told of all members. */
  readonly membersIntent: boolean;
}

export interface TelegramConfig {
  readonly token: string;
  /** A Bot API server of one's own; Telegram's when undefined. */
  readonly apiUrl: string | undefined;
  /** Where updates are delivered and what proves them, or undefined to poll for them. */
  readonly webhook: { readonly url: string; readonly secret: string } | undefined;
}

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
  const upstream = readUpstream(read, faults);
  const publicUrl = read('PUBLIC_URL', webAddress);
  const config: Config = {
    host: read('HOST', hostName) ?? '127.0.0.1',
    port: read('PORT', portNumber) ?? 8080,
    publicUrl,
    metricsHost: read('METRICS_HOST', hostName) ?? '127.0.0.1',
    metricsPort: read('METRICS_PORT', portNumber) ?? 9464,
    trustProxy: read('TRUST_PROXY', networks) ?? [],
    logLevel: read('LOG_LEVEL', logLevel) ?? 'info',
    databaseUrl: databaseUrl ?? 'sqlite::memory:',
    demo: databaseUrl === undefined && upstream === undefined,
    thresholds: read('TIERS', parseThresholds) ?? DEFAULT_THRESHOLDS,
    rateLimits: {
      public: read('RATE_LIMIT_PUBLIC', requestCount) ?? 100,
      key: read('RATE_LIMIT_KEY', requestCount) ?? 1000,
    },
    upstream,
    ethereumRpcUrl: read('ETHEREUM_RPC_URL', nodeAddress),
    algorandIndexerUrl: read('ALGORAND_INDEXER_URL', nodeAddress),
    discord: readDiscord(read),
    discordClientSecret: read('DISCORD_CLIENT_SECRET', clientSecret),
    telegram: readTelegram(read, publicUrl, faults),
  };
  if (faults.length > 0) throw new UserError('wrong-configuration', faults.join('\n'));
  return config;
}

function readUpstream(read: Read, faults: string[]): Config['upstream'] {
  const address = read('UPSTREAM_URL', webAddress);
  const apiKey = read('UPSTREAM_API_KEY', headerText);
  if (address !== undefined) {
    return { url: address.endsWith('/v1') ? address : `${address}/v1`, apiKey };
  }
  if (apiKey !== undefined) {
    faults.push('UPSTREAM_API_KEY: has no use without UPSTREAM_URL; set that too, or leave it out');
  }
  return undefined;
}

function readDiscord(read: Read): DiscordConfig | undefined {
  const token = read('DISCORD_TOKEN', botToken);
  const apiUrl = read('DISCORD_API_URL', webAddress);
  const membersIntent = read('DISCORD_MEMBERS_INTENT', yesOrNo) ?? false;
  return token === undefined ? undefined : { token, apiUrl, membersIntent };
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
  const url = URL.parse(publicUrl ?? '');
  const isHere = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '');
  return url?.protocol === 'https:' || isHere ? publicUrl : undefined;
}

function readTelegram(
  read: Read,
  publicUrl: string | undefined,
  faults: string[],
): TelegramConfig | undefined {
  const token = read('TELEGRAM_TOKEN', botToken);
  const apiUrl = read('TELEGRAM_API_URL', webAddress);
  const mode = read('TELEGRAM_MODE', updatesMode) ?? 'polling';
  const secret = read('TELEGRAM_WEBHOOK_SECRET', webhookSecret);
  if (token === undefined) return undefined;
  if (mode === 'polling') return { token, apiUrl, webhook: undefined };
  if (publicUrl?.startsWith('https:') && secret !== undefined) {
    return { token, apiUrl, webhook: { url: publicUrl + TELEGRAM_WEBHOOK_PATH, secret } };
  }
  faults.push(
    'TELEGRAM_MODE: webhook needs PUBLIC_URL, an https address, and TELEGRAM_WEBHOOK_SECRET beside it',
  );
  return undefined;
}

/** Only that it can stand in a header and a URL; the platform says whether it is right. */
function botToken(text: string): string {
  if (/^[\w.:-]{10,200}$/.test(text)) return text;
  throw new Error('give the token as the platform showed it, with nothing around it');
}

/** As long as it must be for what is sealed with it; Discord's have 32 characters. */
function clientSecret(text: string): string {
  if (/^[\w-]{24,200}$/.test(text)) return text;
  throw new Error('give the client secret as Discord showed it, with nothing around it');
}

/** What an upstream of any kind may give as a key. */
function headerText(text: string): string {
  if (/^[\x21-\x7e]{1,500}$/.test(text)) return text;
  throw new Error('give the key as it was shown, with nothing around it');
}

function yesOrNo(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error('give true or false');
}

function updatesMode(text: string): 'polling' | 'webhook' {
  if (text === 'polling' || text === 'webhook') return text;
  throw new Error('give polling or webhook');
}

/** https://core.telegram.org/bots/api#setwebhook; longer than Telegram asks, for it is all that proves a delivery. */
function webhookSecret(text: string): string {
  if (/^[A-Za-z0-9_-]{16,256}$/.test(text)) return text;
  throw new Error('give 16 to 256 letters, digits, _ or -, chosen at random');
}

function integer(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function portNumber(text: string): number {
  const port = integer(text, 0, 65_535);
  if (port === undefined) {
    throw new Error('give a port from 1 to 65535, or 0 for any that is free');
  }
  return port;
}

function requestCount(text: string): number {
  const count = integer(text, 1, 1_000_000_000);
  if (count === undefined) throw new Error('give a number of requests a minute, 1 or more');
  return count;
}

function hostName(text: string): string {
  if (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)) return text;
  throw new Error('give an address of this machine such as 127.0.0.1, or 0.0.0.0 for all of them');
}

function webAddress(text: string): string {
  const url = URL.parse(text);
  const plain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error('give the whole address others reach it at, such as https://rep.example.org');
  }
  return url.href.replace(/\/$/, '');
}

/** Providers put a key into the path or the query. */
function nodeAddress(text: string): string {
  const url = URL.parse(text);
  const plain = url !== null && url.hash === '';
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error('give the whole address of a node, such as https://rpc.example.org/key');
  }
  return url.href.replace(/\/$/, '');
}

function networks(text: string): string[] {
  return text.split(',').map((part) => {
    const network = part.trim();
    const [address = '', prefix] = network.split('/');
    const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : 0;
    const length = integer(prefix ?? '', 0, bits);
    // A prefix of 0 would believe everybody, who could then choose the address they are counted by.
    if (bits === 0 || length === undefined || length === 0 || network.split('/').length !== 2) {
      throw new Error(
        `"${network.slice(0, 60)}" is no network; give networks such as 10.0.0.0/8,fd00::/8`,
      );
    }
    return network;
  });
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text);
  if (level === undefined) throw new Error(`give one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

/** Only the form; whether the store can be opened shows when it is. */
function databaseLocation(text: string): string {
  if (/^[a-z]+:./.test(text)) return text;
  throw new Error('give a location such as sqlite:./data/fathom.db');
}
