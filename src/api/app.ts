import type { Server } from 'node:http';
import { parse } from 'node:querystring';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Compressor } from './compressor.ts';
import { renderDocs } from './docs/page.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { fail } from './failure.ts';
import { sendLiveness, sendReadiness } from './health.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiOptions } from './options.ts';
import { badEncoding, createPathTable, type PathTable } from './paths.ts';
import { routeNotFound } from './problems.ts';
import { ROUTES } from './resources/index.ts';
import { refuse } from './respond.ts';
import { writingSchema } from './serializer.ts';
import { staticPage } from './static-page.ts';
import { type BoundRoute, bindRoute, type V1 } from './v1.ts';

type AppOptions = Pick<
  ApiOptions,
  'log' | 'metrics' | 'host' | 'port' | 'publicUrl' | 'readiness' | 'register' | 'limits' | 'isDemo'
> & {
  readonly server: Server;
  readonly v1: V1;
  readonly compressor: Compressor;
};

/** The router with everything that is reached through it. */
interface App {
  readonly app: FastifyInstance;
  readonly paths: PathTable;
}

type Handler = (exchange: Exchange, request: FastifyRequest) => void;

/** Builds the router on a server that is not listening yet. */
export async function createApp(options: AppOptions): Promise<App> {
  const app = Fastify({
    serverFactory: () => options.server,
    logger: false,
    genReqId: () => '',
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    serializerOpts: { objectMechanism: 'native' },
    clientErrorHandler: () => undefined,
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      const exchange = exchangeOf(request.raw);
      refuse(exchange, badEncoding(exchange.url));
    },
    routerOptions: {
      // Longer than any URL that gets here: a parameter that is no address is told so, not 404.
      maxParamLength: 4096,
      querystringParser: (text) => (text === '' ? NO_QUERY : parse(text)),
    },
  });
  const own: string[] = [];
  const add = (url: string, handler: Handler) => {
    own.push(url);
    addRead(app, url, options, handler);
  };
  const bound = addResources(app, options.v1, own);
  addPages(add, options);
  addErrors(app, options);
  addOtherRooms(app, options);
  await app.ready();

  for (const [i, route] of ROUTES.entries()) {
    bound[i] = bindRoute(route, options.metrics, serializerOf(app, route.response));
  }
  return { app, paths: createPathTable(own) };
}

const NO_QUERY = Object.freeze({});

/** The resources are bound once the router has compiled their schemas, and filled in then. */
function addResources(app: FastifyInstance, v1: V1, own: string[]): BoundRoute[] {
  const bound: BoundRoute[] = [];
  for (const [i, route] of ROUTES.entries()) {
    const url = `/v1${route.path}`;
    own.push(url);
    app.route({
      method: ['GET', 'HEAD'],
      url,
      schema: { response: { 200: writingSchema(route.response) } },
      handler(request, reply) {
        reply.hijack();
        const exchange = exchangeOf(request.raw);
        const { address = '' } = request.params as { address?: string };
        const query = exchange.url.indexOf('?');
        const queryText = query === -1 ? '' : exchange.url.slice(query + 1);
        // The front counts what the router sends here. If the two should ever read a path differently,
        // nothing is answered that was not counted.
        const isCounted = exchange.quota !== undefined;
        if (!isCounted || (route.ofWallet && address === '')) refuse(exchange, routeNotFound());
        else v1.answer(exchange, bound[i] as BoundRoute, address, queryText);
      },
    });
  }
  return bound;
}

function serializerOf(app: FastifyInstance, schema: BoundRoute['route']['response']) {
  const compiler = app.serializerCompiler;
  if (compiler === undefined) throw new Error('the router has compiled no schema');
  return compiler({ schema: writingSchema(schema), method: 'GET', url: '', httpStatus: '200' });
}

function addRead(
  app: FastifyInstance,
  url: string,
  { metrics, log }: AppOptions,
  handler: Handler,
): void {
  const route = metrics.route(url);
  app.route({
    method: ['GET', 'HEAD'],
    url,
    handler(request, reply) {
      reply.hijack();
      const exchange = exchangeOf(request.raw);
      exchange.metrics = route;
      try {
        handler(exchange, request);
      } catch (error) {
        fail(exchange, error, log);
      }
    },
  });
}

function addPages(add: (url: string, handler: Handler) => void, options: AppOptions): void {
  const { compressor, readiness, log } = options;
  const document = openApiDocument(ROUTES, options);
  const json = { body: JSON.stringify(document), contentType: 'application/json' };
  const headers = ['Access-Control-Allow-Origin', '*', 'Access-Control-Expose-Headers', 'ETag'];
  add('/openapi.json', staticPage({ ...json, headers }, compressor));
  const baseUrl = `${publicOrigin(options)}/v1`;
  add('/docs', staticPage(renderDocs(document, { ...options, baseUrl }), compressor));
  add('/livez', sendLiveness);
  add('/readyz', (exchange) => sendReadiness(exchange, readiness, log));
}

/** Where people reach the API as far as is known: what is configured, else where it listens. */
function publicOrigin({ publicUrl, host, port }: AppOptions): string {
  if (publicUrl !== undefined) return publicUrl.replace(/\/+$/, '');
  const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function addErrors(app: FastifyInstance, { log }: AppOptions): void {
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    refuse(exchangeOf(request.raw), routeNotFound());
  });
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    reply.hijack();
    const exchange = exchangeOf(request.raw);
    const status = error.statusCode ?? 500;
    // The router may stumble over a body before it finds that there is no such route.
    if (request.is404) refuse(exchange, routeNotFound());
    else if (status >= 400 && status < 500) {
      refuse(exchange, { code: 'bad-request', detail: 'The body of the request is not accepted.' });
    } else fail(exchange, error, log);
  });
}

/** Other rooms' routes get what the API's own get from the front and from `respond`. */
function addOtherRooms(app: FastifyInstance, { metrics, register }: AppOptions): void {
  if (register === undefined) return;
  app.register((scope, _options, done) => {
    scope.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, next) => {
      const exchange = exchangeOf(request.raw);
      exchange.metrics = metrics.route(request.routeOptions.url ?? 'unmatched');
      reply.header('X-Request-Id', exchange.id);
      if (exchange.server.draining) reply.header('Connection', 'close');
      next();
    });
    scope.addHook('onSend', (request, reply, payload, next) => {
      const exchange = exchangeOf(request.raw);
      const { unread, clientOf } = exchange.server;
      const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
      if (isText) unread.hold(clientOf(exchange), reply.raw, Buffer.byteLength(payload));
      next(null, payload);
    });
    scope.addHook('onResponse', (request, reply, next) => {
      const exchange = exchangeOf(request.raw);
      // An error was answered, and noted, by the API itself.
      if (!exchange.noted) exchange.metrics.observe(reply.statusCode, reply.elapsedTime / 1000);
      next();
    });
    register(scope);
    done();
  });
}
