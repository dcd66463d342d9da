import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type CheckFinding, ok, parseHttpDate, wallMs, warn } from '#base';
import { clockFault } from '#cluster';

/** Where undici tells of each response's head, and Node's own client of each response. */
const CHANNELS = ['undici:request:headers', 'http.client.response.finish'] as const;

/** More servers don't help to see whose clock is right. */
const SHOWN = 3;

/** What other servers say the time is, by the `Date` of whatever they answer meanwhile. */
export class ServerClocks implements Disposable {
  /** Seconds by which this machine's clock is ahead of theirs, by host. */
  readonly #ahead = new Map<string, number>();

  constructor() {
    for (const name of CHANNELS) subscribe(name, this.#note);
  }

  [Symbol.dispose](): void {
    for (const name of CHANNELS) unsubscribe(name, this.#note);
  }

  /** Nothing where no server has said it. One of them may itself be wrong, so most of them count. */
  findings(): CheckFinding[] {
    const all = [...this.#ahead].toSorted(([, one], [, other]) => one - other);
    if (all.length === 0) return [];
    const apart = all.filter(([, ahead]) => clockFault(ahead) !== undefined);
    if (2 * apart.length <= all.length) {
      const right = all.filter((each) => !apart.includes(each));
      return [ok('clock', `agrees with that of ${namesOf(right)}`)];
    }
    const [, middle = 0] = apart[Math.floor(apart.length / 2)] ?? [];
    const fault = clockFault(middle, `that of ${namesOf(apart)}`);
    return [
      warn(
        'clock',
        `${fault}: dates that are noted here are wrong, codes expire early or late, and receivers refuse webhooks. Let this machine keep its time by NTP.`,
      ),
    ];
  }

  readonly #note = (message: unknown): void => {
    const { request, response } = message as Told;
    const at = parseHttpDate(headerOf(response.headers, 'date'));
    if (Number.isNaN(at)) return;
    // A cache passes on the date of what it has kept.
    const age = headerOf(response.headers, 'age');
    const since = /^\d{1,9}$/.test(age) ? Number(age) : 0;
    this.#ahead.set(hostOf(request), wallMs() / 1000 - at / 1000 - since);
  };
}

/** What both channels tell, as far as it's read here. */
interface Told {
  readonly request: {
    readonly origin?: string | URL;
    /** Of Node's own client alone. */
    readonly getHeader?: (name: string) => unknown;
  };
  readonly response: { readonly headers: RawHeaders };
}

/** Names and values in turn, as undici has them, or by name. */
type RawHeaders =
  | readonly (Buffer | string)[]
  | Readonly<Record<string, string | string[] | undefined>>;

function headerOf(raw: RawHeaders, name: string): string {
  const list = (Array.isArray(raw) ? raw : Object.entries(raw).flat()).map(String);
  const place = list.findIndex((each, at) => at % 2 === 0 && each.toLowerCase() === name);
  return place === -1 ? '' : (list[place + 1] ?? '');
}

function hostOf(request: Told['request']): string {
  const { origin } = request;
  return URL.parse(String(origin ?? ''))?.host ?? String(request.getHeader?.('host') ?? 'a server');
}

function namesOf(servers: readonly (readonly [host: string, ahead: number])[]): string {
  const names = servers.slice(0, SHOWN).map(([host]) => host);
  return names.join(', ') + (servers.length > SHOWN ? ', …' : '');
}
