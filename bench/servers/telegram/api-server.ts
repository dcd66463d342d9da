import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Refusal } from './refusal.ts';
import { type Received, readBody } from './uploads.ts';

/** What can go wrong with a call, instead of its response. */
export type Trouble =
  | { readonly status: number; readonly description?: string; readonly retryAfter?: number }
  /** Closes the connection without a response. */
  | 'drop'
  /** Executes the call, then closes the connection without a response. */
  | 'drop-after'
  /** Never responds. */
  | 'hang'
  /** A response that isn't the Bot API's. */
  | 'nonsense';

export interface Handler {
  /** @returns undefined if the call succeeds */
  trouble(method: string): Trouble | undefined;
  answer(method: string, received: Received, gone: AbortSignal): Promise<unknown>;
  /** A file by its path; undefined if there's none. */
  file(path: string): Uint8Array | undefined;
  /** Receives unreadable bodies. */
  malformed(what: string): void;
}

/** The HTTP side of the Bot API: `POST /bot<token>/<method>`, and `GET /file/bot<token>/<path>`. */
export async function openApiServer(
  token: () => string,
  handler: Handler,
): Promise<{ url: string; close: () => Promise<void> }> {
  // It ends no idle connection: it would do so while a client that has waited for the CPU uses it again.
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    // The client is gone, or the test is over: there is nobody to respond to.
    serve(request, response, token(), handler).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  token: string,
  handler: Handler,
): Promise<void> {
  const [, holder, path] = /^\/file\/bot([^/]+)\/(.+)$/.exec(request.url ?? '') ?? [];
  if (path !== undefined) {
    const file = holder === token && request.method === 'GET' ? handler.file(path) : undefined;
    if (file === undefined) return refuse(response, new Refusal(404, 'Not Found'));
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(file);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [, given = '', method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  if (!/^\d+:[\w-]+$/.test(given)) return refuse(response, new Refusal(404, 'Not Found'));
  if (given !== token) return refuse(response, new Refusal(401, 'Unauthorized'));
  const trouble = handler.trouble(method);
  if (trouble === 'hang') return;
  if (trouble === 'drop') {
    response.destroy();
    return;
  }
  if (trouble === 'nonsense') {
    response.end('<html>Bad gateway</html>');
    return;
  }
  if (trouble !== undefined && trouble !== 'drop-after') {
    const { status, description = 'a fault', retryAfter } = trouble;
    const parameters = retryAfter === undefined ? undefined : { retry_after: retryAfter };
    return refuse(response, new Refusal(status, description, parameters));
  }
  const received = bodyOf(request, Buffer.concat(chunks));
  if (typeof received === 'string') {
    handler.malformed(`${method}: ${received}`);
    return refuse(response, new Refusal(400, `Bad Request: ${received}`));
  }
  try {
    const result = await handler.answer(method, received, gone.signal);
    if (trouble === 'drop-after') response.destroy();
    else reply(response, 200, { ok: true, result });
  } catch (error) {
    refuse(response, error instanceof Refusal ? error : new Refusal(500, String(error)));
  }
}

/** What is malformed about it, in words, if anything is. */
function bodyOf(request: IncomingMessage, bytes: Buffer): Received | string {
  try {
    return readBody(request.headers['content-type'] ?? '', bytes);
  } catch (error) {
    return String(error);
  }
}

function refuse(response: ServerResponse, { code, message, parameters }: Refusal): void {
  reply(response, code, {
    ok: false,
    error_code: code,
    description: message,
    ...(parameters !== undefined && { parameters }),
  });
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
