import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { Api, type ApiClientOptions } from 'grammy';
import { type CheckFinding, fail, ok } from '#base';
import { connectSecurely } from '#base/json-http';
import { proxyFor } from '#base/process';
import { within } from '#base/waiting';
import type { TelegramSettings } from '#platforms/telegram/settings';
import { callSignal } from './call-signal.ts';
import { faultOf } from './faults.ts';

const TELEGRAM = 'https://api.telegram.org';
const CONNECT_MS = 10_000;
/** The Bot API has one address: a redirect's target would get the bot's messages. */
const NO_REDIRECTS = { redirect: 'error' } as const;

/**
 * How to reach the Bot API: where, and through which proxy.
 * @param apiUrl undefined for Telegram's own
 * @param connectMs how long the proxy may take to connect, with TLS
 */
export function apiClientOptions(
  apiUrl: string | undefined,
  connectMs = CONNECT_MS,
): ApiClientOptions {
  const proxy = proxyFor(apiUrl ?? TELEGRAM);
  const root: ApiClientOptions = apiUrl === undefined ? {} : { apiRoot: apiUrl };
  if (proxy === undefined) return { ...root, baseFetchConfig: NO_REDIRECTS };
  const isSecure = root.apiRoot === undefined || root.apiRoot.startsWith('https:');
  const agent = isSecure
    ? new TunnelAgent(proxy, connectMs)
    : new HttpAgent({ keepAlive: true, proxyEnv: { HTTP_PROXY: proxy.href } });
  return { ...root, baseFetchConfig: { ...NO_REDIRECTS, agent, compress: true } };
}

/** Connects through a proxy. Node's own agent would wait for one for ever, also once the call has been given up. */
class TunnelAgent extends HttpsAgent {
  readonly #proxy: URL;
  readonly #connectMs: number;

  constructor(proxy: URL, connectMs: number) {
    super({ keepAlive: true });
    this.#proxy = proxy;
    this.#connectMs = connectMs;
  }

  override createConnection(
    { host, port }: ClientRequestArgs,
    done: (error: Error | null, socket: Duplex) => void,
  ): undefined {
    const name = host?.includes(':') ? `[${host}]` : host;
    connectSecurely(this.#proxy, new URL(`https://${name}:${port}`), this.#connectMs).then(
      (socket) => done(null, socket),
      // With an error there is no socket, which the type doesn't allow for.
      (error: Error) => done(error, undefined as never),
    );
  }
}

const PATIENCE_MS = 5_000;

/** As an administrator who lets people in and removes them. Source: https://core.telegram.org/api/links#group-channel-bot-links */
const INVITED_AS = '?startgroup=true&admin=invite_users+restrict_members';

/** Checks the token with `getMe`, the cheapest call that needs one. */
export async function check({ token, apiUrl }: TelegramSettings): Promise<readonly CheckFinding[]> {
  const subject = 'telegram token';
  const api = new Api(token, apiClientOptions(apiUrl));
  const closing = new AbortController();
  try {
    const asked = api.getMe(callSignal(closing.signal));
    const found = await within(asked, PATIENCE_MS);
    if (found !== undefined) {
      const good = ok(subject, `Telegram accepts the token: @${found.username}`);
      return [{ ...good, invitation: `https://t.me/${found.username}${INVITED_AS}` }];
    }
    const text = `Telegram did not respond within ${PATIENCE_MS / 1000} s. Check the network and, if they're set, TELEGRAM_API_URL, HTTPS_PROXY and HTTP_PROXY.`;
    return [fail(subject, text)];
  } catch (error) {
    return [fail(subject, `${faultOf(error).words}.`)];
  } finally {
    closing.abort();
  }
}
