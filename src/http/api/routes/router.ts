import { parse } from 'node:querystring';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import { badEncoding, routeNotFound } from '#http/api/answer/problems';
import { sendError, sendProblemDetails } from '#http/api/answer/respond';
import { apiPages, type PageOptions, publicOrigin } from '#http/api/pages';
import { ROUTES } from '#http/api/resources/index';
import { type Exchange, exchangeOf } from '#http/api/server/exchange';
import type { ApiOptions } from '#http/api/server/options';
import { createPathTable, PageMethods, type PathTable, URL_MAX } from './paths.ts';
import {
  type BoundRoute,
  bindRoute,
  bulkCostOf,
  type ResourceHandler,
} from './resource-handler.ts';
import type { Route, Serialize } from './route.ts';

type RouterOptions = Omit<PageOptions, 'routes' | 'bound'> &
  Pick<ApiOptions, 'metrics' | 'register' | 'routes'> & { readonly resources: ResourceHandler };

/** Fastify with all routes, and the table of the API's own paths. */
interface Router {
  readonly app: FastifyInstance;
  readonly paths: PathTable;
  readonly pages: PageMethods;
  /** See `bulkCostOf`. */
  readonly costOf: (url: string) => number | undefined;
}

type Handler = (exchange: Exchange, request: FastifyRequest) => void;

/** Builds the router on a server that isn't listening yet. */
export async function createRouter(options: RouterOptions): Promise<Router> {
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
      sendProblemDetails(exchange, badEncoding(exchange.url));
    },
    routerOptions: {
      // Longer than any URL that gets here, so an oversized address fails as an address, not as a 404.
      maxParamLength: 4096,
      // Only lists of addresses are longer, and our own resources read the text themselves.
      querystringParser: (text) => (text === '' || text.length > URL_MAX ? NO_QUERY : parse(text)),
    },
  });
  const own: string[] = [];
  const add = (url: string, handler: Handler) => {
    own.push(url);
    addRead(app, url, options, handler);
  };
  const { routes = ROUTES } = options;
  const bound = addResources(app, routes, options.resources, own);
  for (const [path, handler] of apiPages({ ...options, routes, bound: () => bound })) {
    add(path, handler);
  }
  addErrors(app, options);
  const pages = new PageMethods();
  addExternalRoutes(app, options, pages);
  await app.ready();

  for (const [i, route] of routes.entries()) {
    bound[i] = bindRoute(
      route,
      options.metrics,
      serializerOf(app, route, () => publicOrigin(options)),
    );
  }
  return { app, paths: createPathTable(own), pages, costOf: (url) => bulkCostOf(bound, url) };
}

const NO_QUERY = Object.freeze({});

/** @returns the array that the caller fills once the router has compiled the schemas */
function addResources(
  app: FastifyInstance,
  routes: readonly Route[],
  resources: ResourceHandler,
  own: string[],
): BoundRoute[] {
  const bound: BoundRoute[] = [];
  for (const [i, route] of routes.entries()) {
    const url = `/v1${route.path}`;
    own.push(url);
    app.route({
      method: ['GET', 'HEAD'],
      url,
      schema: { response: { 200: serializerSchema(serialized(route)) } },
      handler(request, reply) {
        reply.hijack();
        const exchange = exchangeOf(request.raw);
        const { address = '' } = request.params as { address?: string };
        const query = exchange.url.indexOf('?');
        const queryText = query === -1 ? '' : exchange.url.slice(query + 1);
        // The pipeline counts every request that ends here. Should the two ever parse a path
        // differently, no request gets an answer uncounted.
        const isCounted = exchange.quota !== undefined;
        if (!isCounted || (route.ofWallet && address === ''))
          sendProblemDetails(exchange, routeNotFound());
        else resources.answer(exchange, bound[i] as BoundRoute, address, queryText);
      },
    });
  }
  return bound;
}

/** What a serializer is compiled for: a list is put together from its records. */
function serialized({ record, change, response }: Route): Route['response'] {
  return record ?? change ?? response;
}

function serializerOf(app: FastifyInstance, route: Route, origin: () => string): Serialize {
  const compiler = app.serializerCompiler;
  if (compiler === undefined) throw new Error('the router has not compiled a schema');
  const compile = (schema: Route['response']) =>
    compiler({ schema: serializerSchema(schema), method: 'GET', url: '', httpStatus: '200' });
  return route.serializer?.(compile, origin) ?? compile(serialized(route));
}

function addRead(
  app: FastifyInstance,
  url: string,
  { metrics, log }: RouterOptions,
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
        sendError(exchange, error, log);
      }
    },
  });
}

function addErrors(app: FastifyInstance, { log }: RouterOptions): void {
  app.setNotFoundHandler((request, reply) => {
    reply.hijack();
    sendProblemDetails(exchangeOf(request.raw), routeNotFound());
  });
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    reply.hijack();
    const exchange = exchangeOf(request.raw);
    const status = error.statusCode ?? 500;
    // Fastify may reject the body before it finds that the route doesn't exist.
    if (request.is404) sendProblemDetails(exchange, routeNotFound());
    else if (status >= 400 && status < 500) {
      sendProblemDetails(exchange, {
        code: 'bad-request',
        detail: 'The request body could not be accepted.',
      });
    } else sendError(exchange, error, log);
  });
}

/** Routes of other modules get the same id, metrics and limits on unread responses as our own. */
function addExternalRoutes(
  app: FastifyInstance,
  { metrics, register }: RouterOptions,
  pages: PageMethods,
): void {
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
      // If we already sent an error for it, it is in the metrics.
      if (!exchange.noted) exchange.metrics.observe(reply.statusCode, reply.elapsedTime / 1000);
      next();
    });
    pages.watch(scope);
    register(scope);
    done();
  });
}

/** The JSON Schema keywords that affect serialization. */
interface Shape {
  readonly type?: string;
  readonly nullable?: true;
  readonly properties?: Record<string, Shape>;
  readonly required?: readonly string[];
  readonly items?: Shape;
  readonly pattern?: string;
  readonly format?: string;
}

/**
 * Reduces a schema to the keywords that affect serialization. Without any other keyword, Fastify's
 * serializer writes objects natively, several times as fast. Fields that the schema doesn't name are
 * omitted either way, and a missing required field throws.
 *
 * Strings with a pattern or an enum skip the search for characters to escape: none of our patterns
 * allows such a character, and every source validates against the same rules on the way in.
 */
function serializerSchema(schema: TSchema): Shape {
  const { properties, required, items, pattern } = schema as Shape;
  const [type, isNullable] = typeOf(schema);
  const isPlain = type === 'string' && (pattern !== undefined || 'enum' in schema);
  if (type === undefined) throw new TypeError('a response schema must name its type');
  return {
    type,
    ...(isNullable ? { nullable: true as const } : {}),
    ...(isPlain ? { format: 'unsafe' } : {}),
    ...(properties === undefined ? {} : { properties: mapValues(properties, serializerSchema) }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: serializerSchema(items) }),
  };
}

/** `["string", "null"]`, as JSON Schema says it, is for the serializer a string that may be null. */
function typeOf(schema: TSchema): [type: string | undefined, isNullable: boolean] {
  const { type } = schema as { type?: string | readonly string[] };
  if (typeof type === 'string' || type === undefined) return [type, false];
  return [type.find((each) => each !== 'null'), type.includes('null')];
}

function mapValues<T, U>(record: Record<string, T>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
