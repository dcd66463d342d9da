import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wallMs } from '#base';
import type { Compressor } from '#http/api/answer/compressor';
import { sendError } from '#http/api/answer/respond';
import { lazyPage, type PageSender, staticPage } from '#http/api/answer/static-page';
import type { BoundRoute } from '#http/api/routes/resource-handler';
import type { Route } from '#http/api/routes/route';
import type { Exchange } from '#http/api/server/exchange';
import { readinessPage, sendLiveness } from '#http/api/server/health';
import type { ApiOptions } from '#http/api/server/options';
import { LiveExamples } from './docs/examples.ts';
import { type OpenApiDocument, openApiDocument } from './docs/openapi.ts';
import { DocsPage, GUIDES_PATH, renderGuides } from './docs/page.ts';
import { sendTry, TRY_PATH } from './docs/try-it.ts';

export type PageOptions = Pick<
  ApiOptions,
  | 'source'
  | 'wallets'
  | 'log'
  | 'host'
  | 'publicUrl'
  | 'contact'
  | 'readiness'
  | 'limits'
  | 'isDemo'
  | 'clock'
> & {
  readonly server: Server;
  readonly compressor: Compressor;
  readonly routes: readonly Route[];
  /** The same routes; complete once the router is ready. */
  readonly bound: () => readonly BoundRoute[];
};

type PageHandler = (exchange: Exchange) => void;

/** What the API serves beside `/v1`, by path. */
export function apiPages(options: PageOptions): ReadonlyMap<string, PageHandler> {
  const { routes, compressor, readiness, log, limits, isDemo = false } = options;
  // The origin is known once the server listens, so pages that show it are built on demand.
  const origin = () => publicOrigin(options);
  let built: OpenApiDocument | undefined;
  const document = () => {
    built ??= openApiDocument(routes, { ...options, origin: origin() });
    return built;
  };
  const docs = new DocsPage({
    document,
    baseUrl: () => `${origin()}/v1`,
    examples: new LiveExamples({ ...options, routes: options.bound }),
    ...{ isDemo, limits, compressor },
  });
  const { publicUrl, contact, clock = wallMs } = options;
  const site = { origin, isPublic: publicUrl !== undefined, contact, wall: clock };
  return new Map<string, PageHandler>([
    ['/openapi.json', lazyPage(() => staticPage(openApiPage(document()), compressor))],
    [
      '/docs',
      (exchange) => {
        docs.send(exchange).catch((error: unknown) => sendError(exchange, error, log));
      },
    ],
    [
      GUIDES_PATH,
      lazyPage(() =>
        staticPage(renderGuides({ origin: origin(), baseUrl: `${origin()}/v1` }), compressor),
      ),
    ],
    [TRY_PATH, (exchange) => sendTry(exchange, routes)],
    ...siteFiles(site, compressor),
    ['/livez', sendLiveness],
    ['/readyz', readinessPage(readiness, log)],
  ]);
}

function openApiPage(document: OpenApiDocument) {
  const headers = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', 'ETag'];
  return { body: JSON.stringify(document), contentType: 'application/json', headers };
}

/** The configured public URL, or the address that the server listens on. */
export function publicOrigin({
  publicUrl,
  host,
  server,
}: Pick<PageOptions, 'publicUrl' | 'host' | 'server'>): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const { port } = server.address() as AddressInfo;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

interface SiteOptions {
  /** The base URL of the instance, without a trailing slash. */
  readonly origin: () => string;
  /** Whether that is the configured public URL. */
  readonly isPublic: boolean;
  /** `mailto:` or `https:`; without one there is no security.txt. */
  readonly contact: string | undefined;
  /** Milliseconds since 1970. */
  readonly wall: () => number;
}

const TEXT = 'text/plain; charset=utf-8';
const ICON = 'image/vnd.microsoft.icon';

/** A crawler would spend its rate limit on `/v1`; the other paths aren't pages of their own. */
const ROBOTS = `User-agent: *
Disallow: /v1/
Disallow: /docs/try
Disallow: /link
Disallow: /discord/
`;

/** Files that browsers, crawlers and researchers look for at fixed paths. */
function siteFiles(options: SiteOptions, compressor: Compressor): ReadonlyMap<string, PageSender> {
  const { origin, contact } = options;
  const text = (make: () => string) =>
    lazyPage(() => staticPage({ body: make(), contentType: TEXT }, compressor));
  const icon = () => staticPage({ body: favicon(), contentType: ICON }, compressor);
  const files = new Map([
    ['/robots.txt', text(() => ROBOTS)],
    ['/llms.txt', text(() => llmsText(origin()))],
    ['/favicon.ico', lazyPage(icon)],
  ]);
  if (contact !== undefined) {
    files.set('/.well-known/security.txt', securityFile(contact, options, compressor));
  }
  return files;
}

const DAY_MS = 86_400_000;

/** RFC 9116, 2.5.5 recommends less than a year. */
const SECURITY_DAYS = 180;

/** Rebuilt every day, so that it never expires. */
function securityFile(
  contact: string,
  { origin, isPublic, wall }: SiteOptions,
  compressor: Compressor,
): PageSender {
  let day: number | undefined;
  let sender: PageSender;
  return (exchange) => {
    const today = Math.floor(wall() / DAY_MS);
    if (today !== day) {
      day = today;
      const canonical = isPublic ? origin() : undefined;
      const body = securityText(contact, canonical, (today + SECURITY_DAYS) * DAY_MS);
      sender = staticPage({ body, contentType: TEXT }, compressor);
    }
    sender(exchange);
  };
}

/**
 * RFC 9116.
 * @param canonical the public base URL, if there is one
 * @param expires milliseconds since 1970
 */
function securityText(contact: string, canonical: string | undefined, expires: number): string {
  const lines = [`Contact: ${contact}`];
  lines.push(`Expires: ${new Date(expires).toISOString().replace('.000Z', 'Z')}`);
  lines.push('Preferred-Languages: en, es');
  if (canonical !== undefined) lines.push(`Canonical: ${canonical}/.well-known/security.txt`);
  return `${lines.join('\n')}\n`;
}

/** https://llmstxt.org */
function llmsText(origin: string): string {
  return `# Fathom

> Wallet reputation for communities on Ethereum, Solana and Algorand: score, tier, rank, badges and activity of a wallet, a leaderboard and statistics. A read-only JSON API; no sign-up, no key needed.

- Base URL: ${origin}/v1
- \`GET /v1/reputation/{address}\`, \`/v1/badges/{address}\`, \`/v1/activity/{address}?limit=\`, \`/v1/leaderboard?limit=&offset=&chain=\`, \`/v1/stats/global\`
- The chain is detected from the address. Unknown parameters are errors.
- A 404 \`wallet-not-found\` means that the wallet was never seen, not that its score is 0.
- \`Reputation-Status: stale\` means that newer data may be missing. \`Fathom-Data: demo\` means that every wallet is made up, \`Fathom-Data: partial\` that chains are still being read, so that scores are incomplete.
- After a 429 or a 503, wait for the seconds in \`Retry-After\`.

## API

- [OpenAPI 3.1](${origin}/openapi.json): every resource, parameter, header and error
- [Documentation](${origin}/docs): the same for people, with examples in curl, JavaScript, Python and Go
- [Guides](${origin}/docs/guides): token-gate a page, show a leaderboard, keep a copy in step, receive webhooks

## Optional

- [Playground](${origin}/): try the chat commands
`;
}

function favicon(): Buffer {
  return readFileSync(new URL('./favicon.ico', import.meta.url));
}
