import { isIP } from 'node:net';
import { isOneUrl, plainAddress } from '#base/process';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Parsers of environment variables: each returns a value or throws a message that says what the
 * variable must be.
 */

/** Lists that end with a comma as many machines set them; nothing else that we read does. */
const LISTS = /^no_proxy$/i;

/**
 * Refuses what editors, chats and `docker --env-file` leave around a value, as it can't be seen or passes for part of
 * a key, a path or a URL.
 * @returns the value, without a backslash that says of a quote, comma or semicolon that it belongs there
 * @throws Error that says what to leave out
 */
export function bareValue(name: string, text: string): string {
  if (/[\p{Cc}\p{Cf}]/u.test(text)) {
    throw new Error('has a character that can’t be seen; type the value instead of pasting it');
  }
  if (/^["'`“”„‘’«]|(?<!\\)["'`“”’»]$/.test(text)) {
    throw new Error(`begins or ends with a quote; leave quotes out, ${OR_ESCAPE}`);
  }
  const end = /(?<!\\)[,;]$/.exec(text)?.[0];
  if (end !== undefined && !LISTS.test(name)) {
    throw new Error(`ends with "${end}"; leave that out, ${OR_ESCAPE}`);
  }
  return text.replace(/^\\(?=["'`“”„‘’«])|\\(?=["'`“”’»,;]$)/g, '');
}

const OR_ESCAPE = 'or put a backslash (\\) before it if it belongs to the value';

/** Any characters that an upstream's key may contain. */
export function headerText(text: string): string {
  if (/^[\x21-\x7e]{1,500}$/.test(text)) return text;
  throw new Error('must be the key exactly as it was shown');
}

function integer(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** As shown in WalletConnect's dashboard; not a secret. */
export function projectId(text: string): string {
  if (/^[0-9a-f]{32}$/.test(text)) return text;
  throw new Error('must be the 32 hex digits of your project in WalletConnect’s dashboard');
}

export function portNumber(text: string): number {
  const port = integer(text, 0, 65_535);
  if (port === undefined) {
    throw new Error('must be a port from 1 to 65535, or 0 for any free port');
  }
  return port;
}

export function requestCount(text: string): number {
  const count = integer(text, 1, 1_000_000_000);
  if (count === undefined) throw new Error('must be a number of requests per minute, 1 or more');
  return count;
}

export function streamCount(text: string): number {
  const count = integer(text, 1, 100_000);
  if (count === undefined) throw new Error('must be a number of streams from 1 to 100000');
  return count;
}

/** The process must end within 10 seconds of a signal, with half of them for requests in flight. */
export function drainSeconds(text: string): number {
  const count = integer(text, 0, 5);
  if (count === undefined) throw new Error('must be a number of seconds from 0 to 5');
  return count;
}

export function keepAliveSeconds(text: string): number {
  const count = integer(text, 1, 3_600);
  if (count === undefined) throw new Error('must be a number of seconds from 1 to 3600');
  return count;
}

export function dayCount(text: string): number {
  const count = integer(text, 1, 3_650);
  if (count === undefined) throw new Error('must be a number of days from 1 to 3650');
  return count;
}

export function changeCount(text: string): number {
  const count = integer(text, 1_000, 1_000_000_000);
  if (count === undefined) throw new Error('must be a number of changes, 1000 or more');
  return count;
}

export function hostName(text: string): string {
  if (isIP(text) !== 0 || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(text)) return text;
  throw new Error(
    'must be an address of this machine such as 127.0.0.1, or 0.0.0.0 for all of them',
  );
}

export function webAddress(text: string): string {
  const address = plainAddress(text);
  if (address !== undefined) return address;
  throw new Error('must be the full URL at which others reach it, such as https://rep.example.org');
}

/** @returns `mailto:` or `https:` */
export function contactAddress(text: string): string {
  const address = text.replace(/^mailto:/i, '');
  if (/^[\w.+-]{1,64}@(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d-]{2,}$/i.test(address)) {
    return `mailto:${address}`;
  }
  const page = plainAddress(text);
  if (page?.startsWith('https:')) return page;
  throw new Error('must be an email address, or the https URL of a contact page');
}

/** Providers put API keys into the path or the query. */
export function nodeAddress(text: string): string {
  const url = URL.parse(text);
  const plain = url !== null && url.hash === '' && isOneUrl(text);
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new Error('must be the full URL of one node, such as https://rpc.example.org/key');
  }
  return url.href.replace(/\/$/, '');
}

export function networks(text: string): string[] {
  const all = text.split(',').map((part) => {
    const network = part.trim();
    const [address = '', prefix] = network.split('/');
    const bits = isIP(address) === 4 ? 32 : isIP(address) === 6 ? 128 : 0;
    const length = integer(prefix ?? '', 0, bits);
    // A prefix of 0 would trust everyone: clients could choose the address they are counted by, or
    // what we connect to.
    if (bits === 0 || length === undefined || length === 0 || network.split('/').length !== 2) {
      throw new Error(
        `"${network.slice(0, 60)}" isn't a network; use networks such as 10.0.0.0/8,fd00::/8`,
      );
    }
    return plainNetwork(address, bits, length);
  });
  return [...new Set(all)];
}

/** The usual notation of a network, so that settings with one meaning are equal on all replicas. */
function plainNetwork(address: string, bits: number, length: number): string {
  const [size, base, separator] = bits === 32 ? [8, 10, '.'] : [16, 16, ':'];
  const parts = bits === 32 ? address.split('.') : groupsOf(address);
  const first = parts.map((part, place) => {
    const host = Math.min(size, Math.max(0, (place + 1) * size - length));
    return ((Number.parseInt(part, base) >> host) << host).toString(base);
  });
  const text = first.join(separator);
  return `${bits === 32 ? text : hostOf(text)}/${length}`;
}

/** The eight groups of an IPv6 address, however it's written. */
function groupsOf(address: string): string[] {
  const [start = [], end = []] = hostOf(address)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  return [...start, ...Array<string>(8 - start.length - end.length).fill('0'), ...end];
}

/** An IPv6 address in hex digits, with its longest run of zeros left out. */
function hostOf(address: string): string {
  return URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? address;
}

export function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((each) => each === text);
  if (level === undefined) throw new Error(`must be one of ${LOG_LEVELS.join(', ')}`);
  return level;
}

/** Checks only the format; opening the store shows the rest. */
export function databaseLocation(text: string): string {
  if (isPostgres(text) || /^sqlite:./.test(text)) return text;
  throw new Error(
    'must be a URL such as sqlite:./data/fathom.db or postgres://user:password@host/database',
  );
}

/** Only Postgres has read replicas. */
export function readLocation(text: string): string {
  if (isPostgres(text)) return text;
  throw new Error('must be a URL such as postgres://user:password@host/database');
}

export function isPostgres(text: string | undefined): boolean {
  return /^postgres(?:ql)?:\/\/./.test(text ?? '') && URL.canParse(text ?? '');
}

export function redisLocation(text: string): string {
  if (/^rediss?:\/\/./.test(text) && URL.canParse(text)) return text;
  throw new Error('must be a URL such as redis://127.0.0.1:6379, or rediss:// with TLS');
}

/** The file is read when it's needed: it may appear later, and must not prevent the start. */
export function rulesPath(text: string): string {
  if (!/\.ya?ml$/i.test(text)) throw new Error('must be a YAML file, such as ./rules.yaml');
  return text;
}
