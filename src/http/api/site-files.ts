import { readFileSync } from 'node:fs';
import type { Compressor } from './compressor.ts';
import { lazyPage, type PageSender, staticPage } from './static-page.ts';

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
export function siteFiles(
  options: SiteOptions,
  compressor: Compressor,
): ReadonlyMap<string, PageSender> {
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
