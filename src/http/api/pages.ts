import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wallMs } from '#base';
import type { Compressor } from './compressor.ts';
import { DocsPages } from './docs/docs-pages.ts';
import { LiveExamples } from './docs/examples.ts';
import { GUIDES_PATH, renderGuides } from './docs/guides/page.ts';
import { chooseLanguage, type DocsLanguage } from './docs/language.ts';
import { sendTry, TRY_PATH } from './docs/try-it.ts';
import { sendError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { readinessPage, sendLiveness } from './health.ts';
import { type OpenApiDocument, openApiDocument } from './openapi.ts';
import type { ApiOptions } from './options.ts';
import type { BoundRoute } from './resource-handler.ts';
import type { Route } from './route.ts';
import { siteFiles } from './site-files.ts';
import { lazyPage, staticPage } from './static-page.ts';

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
  const docs = new DocsPages({
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
    [GUIDES_PATH, guidesPages(origin, compressor)],
    [TRY_PATH, (exchange) => sendTry(exchange, routes)],
    ...siteFiles(site, compressor),
    ['/livez', sendLiveness],
    ['/readyz', readinessPage(readiness, log)],
  ]);
}

/** In each language, built on the first request for it. */
function guidesPages(origin: () => string, compressor: Compressor): PageHandler {
  const senders = new Map<DocsLanguage, PageHandler>();
  return (exchange) => {
    const language = chooseLanguage(exchange.url, exchange.req.headers['accept-language']);
    const options = { origin: origin(), baseUrl: `${origin()}/v1` };
    const send = senders.get(language) ?? staticPage(renderGuides(options, language), compressor);
    senders.set(language, send);
    send(exchange);
  };
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
