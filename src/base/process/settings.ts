import { credentialsOf } from './egress.ts';

/** Parses a variable's text, or throws a message that says what it must be. */
export type SettingReader<T> = (text: string) => T;

/** Reads settings from the environment and collects what's wrong with them. */
export interface SettingsReader {
  /** Reads one variable; undefined if it's unset, or invalid, which is recorded. */
  read<T>(name: string, reader: SettingReader<T>): T | undefined;
  /** Records another fault. @param sentence starts with the variable's name and a colon */
  fault(sentence: string): void;
  /** Public URL of this instance, without a trailing slash. */
  readonly publicUrl: string | undefined;
}

/** Only checks that it fits into a header and a URL; the platform validates it. */
export function botToken(text: string): string {
  if (/^[\w.:-]{10,200}$/.test(text)) return text;
  throw new Error('must be the token exactly as the platform showed it');
}

export function yesOrNo(text: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error('must be true or false');
}

/** One of two words. */
export function either<const A extends string, const B extends string>(
  one: A,
  other: B,
): SettingReader<A | B> {
  return (text) => {
    if (text === one) return one;
    if (text === other) return other;
    throw new Error(`must be ${one} or ${other}`);
  };
}

/** URL of a server that replaces a platform's own, or of another instance. */
export function serverAddress(text: string): string {
  const address = plainAddress(text);
  if (address !== undefined) return address;
  throw new Error('must be the full URL of a server, such as http://127.0.0.1:3000/api');
}

/** A URL without query, fragment, user or trailing slash. */
export function plainAddress(text: string): string | undefined {
  if (/\s/.test(text)) return undefined;
  const url = URL.parse(text);
  const plain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  return url.href.replace(/\/$/, '');
}

/**
 * Whether a text is no more than one URL. Two pass for one whose path has a space or a comma in it, as does one with a
 * quote or a comma behind it.
 */
export function isOneUrl(text: string): boolean {
  return !/[\s"'`\u200b-\u200d\u2060\ufeff]|,\s*https?:|[,;]$/i.test(text);
}

/** The environment itself is read where requests are sent (`proxyFor`). */
export function proxyLocation(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') {
    throw new Error('must be the URL of a proxy, such as http://proxy.example.org:3128');
  }
  try {
    credentialsOf(url);
  } catch (cause) {
    const text = 'has a % in its user or password that begins no code; write it as %25';
    throw new Error(text, { cause });
  }
  return text;
}
