interface Cookie {
  readonly value: string;
  readonly attributes: ReadonlyMap<string, string>;
}

/** The final page, and the URLs on the way. */
export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  readonly url: string;
  readonly hops: readonly string[];
}

const HOPS_MAX = 10;

/** A browser's redirects and cookies: each origin has its own, and Strict ones aren't sent cross-site. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, Cookie>>();
  /** Sent with every request. */
  language = 'en';

  /** Follows all redirects. @param until stops before the first URL that contains this */
  async visit(address: string, until?: string): Promise<Visit> {
    const hops: string[] = [];
    for (let url = address, from = ''; hops.length < HOPS_MAX; ) {
      hops.push(url);
      const { origin } = new URL(url);
      const isCrossSite = from !== '' && from !== origin;
      const response = await fetch(url, {
        redirect: 'manual',
        headers: {
          'Accept-Language': this.language,
          Cookie: this.#cookiesFor(origin, isCrossSite),
        },
      });
      this.#take(origin, response.headers.getSetCookie());
      const location = response.headers.get('location');
      const next = location === null ? undefined : new URL(location, url).href;
      if (next === undefined || (until !== undefined && next.includes(until))) {
        const body = await response.text();
        return { status: response.status, headers: response.headers, body, url: next ?? url, hops };
      }
      await response.body?.cancel();
      from = origin;
      url = next;
    }
    throw new Error('too many redirects');
  }

  /** Values by name. */
  cookiesOf(origin: string): Readonly<Record<string, string>> {
    const cookies = this.#cookies.get(origin) ?? new Map<string, Cookie>();
    return Object.fromEntries([...cookies].map(([name, { value }]) => [name, value]));
  }

  set(origin: string, name: string, value: string): void {
    const cookies = this.#cookies.get(origin) ?? new Map<string, Cookie>();
    cookies.set(name, { value, attributes: new Map() });
    this.#cookies.set(origin, cookies);
  }

  #cookiesFor(origin: string, isCrossSite: boolean): string {
    return [...(this.#cookies.get(origin) ?? [])]
      .filter(([, { attributes }]) => !isCrossSite || attributes.get('samesite') !== 'strict')
      .map(([name, { value }]) => `${name}=${value}`)
      .join('; ');
  }

  #take(origin: string, lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...rest] = line.split('; ');
      const [name = ''] = pair.split('=', 1);
      const attributes = new Map(
        rest.map((each) => {
          const [key = '', value = ''] = each.toLowerCase().split('=');
          return [key, value];
        }),
      );
      this.set(origin, name, pair.slice(name.length + 1));
      this.#cookies.get(origin)?.set(name, { value: pair.slice(name.length + 1), attributes });
      if (attributes.get('max-age') === '0') this.#cookies.get(origin)?.delete(name);
    }
  }
}
