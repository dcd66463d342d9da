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
}

/** Variables by name, as in `process.env`. An empty one counts as not set. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Turns a variable's text into a value, or throws a sentence that says what it accepts. */
type Reader<T> = (text: string) => T;

/**
 * Reads the configuration from the environment.
 * @throws UserError `wrong-configuration` with a line for every variable that is wrong
 */
export function loadConfig(env: Environment): Config {
  const faults: string[] = [];
  function read<T>(name: string, fallback: T, reader: Reader<T>): T {
    const text = env[name]?.trim();
    if (text === undefined || text === '') return fallback;
    try {
      return reader(text);
    } catch (error) {
      faults.push(`${name}: ${messageOf(error)}`);
      return fallback;
    }
  }

  const databaseUrl = read<string | undefined>('DATABASE_URL', undefined, databaseLocation);
  const config: Config = {
    host: read('HOST', '127.0.0.1', hostName),
    port: read('PORT', 8080, portNumber),
    publicUrl: read<string | undefined>('PUBLIC_URL', undefined, webAddress),
    metricsPort: read('METRICS_PORT', 9464, portNumber),
    trustProxy: read<readonly string[]>('TRUST_PROXY', [], networks),
    logLevel: read<LogLevel>('LOG_LEVEL', 'info', logLevel),
    databaseUrl: databaseUrl ?? 'sqlite::memory:',
    demo: databaseUrl === undefined,
    thresholds: read('TIERS', DEFAULT_THRESHOLDS, parseThresholds),
    rateLimits: {
      public: read('RATE_LIMIT_PUBLIC', 100, requestCount),
      key: read('RATE_LIMIT_KEY', 1000, requestCount),
    },
  };
  if (faults.length > 0) throw new UserError('wrong-configuration', faults.join('\n'));
  return config;
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
