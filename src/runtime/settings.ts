/** Turns a variable's text into a value, or throws a sentence that says what it accepts. */
export type SettingReader<T> = (text: string) => T;

/** Reads settings from the environment, and notes what is wrong with them. */
export interface SettingsReader {
  /** Reads one variable; undefined when it isn't set, or is wrong, which is noted. */
  read<T>(name: string, reader: SettingReader<T>): T | undefined;
  /** Notes what else is wrong. @param sentence begins with the name of the variable and a colon */
  fault(sentence: string): void;
  /** Where others reach this instance, with no slash at the end. */
  readonly publicUrl: string | undefined;
}

/** Only that it can stand in a header and a URL; the platform says whether it is right. */
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

/** Of a server that stands in for a platform's own, or of another instance. */
export function serverAddress(text: string): string {
  const address = plainAddress(text);
  if (address !== undefined) return address;
  throw new Error('must be the full URL of a server, such as http://127.0.0.1:3000/api');
}

/** A web address without query, fragment and user, and with no slash at the end. */
export function plainAddress(text: string): string | undefined {
  const url = URL.parse(text);
  const plain = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (!plain || (url.protocol !== 'https:' && url.protocol !== 'http:')) return undefined;
  return url.href.replace(/\/$/, '');
}
