/** Node fires a longer timer at once. */
const LONGEST_MS = 2_147_483_647;

/**
 * The base URL of the API. A URL that can't be one would look like a service that is away.
 * @throws TypeError if it isn't the URL of a service
 */
export function baseUrlOf(text: string): string {
  // Without `URL.parse`, which neither the first versions of Node 20 nor browsers of 2023 have.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === undefined || !isHttp || url.username !== '' || url.search !== '' || url.hash !== '') {
    // Not the URL itself, which may contain a password.
    throw new TypeError('url must be that of a service, such as https://rep.example.org.');
  }
  const base = `${url.origin}${url.pathname}`;
  return `${base.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1`;
}

/**
 * A misspelt option would be as good as none: a limit that isn't kept, or changes from now on, not from a cursor.
 * @throws TypeError if there is another one than these
 */
export function requireKnown(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`There is no option ${JSON.stringify(unknown)}, only ${known.join(', ')}.`);
}

/**
 * A number of milliseconds, for instance of a setting that was read as a number. Each attempt with one that is none
 * would fail, or never be given up.
 * @throws RangeError if it isn't at least `least`
 */
export function millisecondsOf(name: string, value: number, least: number): number {
  if (typeof value === 'number' && value >= least) return Math.min(value, LONGEST_MS);
  throw new RangeError(`${name} must be a number of milliseconds, ${least} or more.`);
}

/**
 * A limit of the cache. With one that's no number, the cache would keep everything, or nothing.
 * @throws RangeError if it isn't 0 or more
 */
export function limitOf(name: string, value: number): number {
  if (typeof value === 'number' && value >= 0) return value;
  throw new RangeError(`${name} must be a number, 0 or more.`);
}
