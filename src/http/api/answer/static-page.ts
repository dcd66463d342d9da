import type { Exchange } from '#http/api/server/exchange';
import {
  type ContentEncoding,
  chooseEncoding,
  contentTag,
  evaluate,
  preconditionFailed,
} from '#http/negotiation';
import type { Compressor } from './compressor.ts';
import { send, sendProblemDetails } from './respond.ts';

interface Page {
  /** Text is compressed for clients that accept it, bytes never. */
  readonly body: string | Buffer;
  readonly contentType: string;
  /** Alternating names and values. */
  readonly headers?: readonly string[];
}

/** Sends a page that doesn't change while the process runs. */
export type PageSender = (exchange: Exchange) => void;

/** Builds a page on the first request for it. */
export function lazyPage(make: () => PageSender): PageSender {
  let sender: PageSender | undefined;
  return (exchange) => {
    sender ??= make();
    sender(exchange);
  };
}

/** @returns a sender with validators and compression */
export function staticPage(page: Page, compressor: Compressor): PageSender {
  const { body } = page;
  const etag = contentTag(body);
  const base = ['ETag', etag, 'Cache-Control', 'public, max-age=300', 'Vary', 'Accept-Encoding'];
  base.push('X-Content-Type-Options', 'nosniff', ...(page.headers ?? []));

  const sendBody = (exchange: Exchange, sent: string | Buffer, encoding?: ContentEncoding) => {
    const headers = ['Content-Type', page.contentType];
    headers.push('Content-Length', String(Buffer.byteLength(sent)));
    if (encoding !== undefined) headers.push('Content-Encoding', encoding);
    send(exchange, 200, [...headers, ...base, 'X-Request-Id', exchange.id], sent);
  };

  return (exchange) => {
    const outcome = evaluate(exchange, { etag });
    if (outcome === 'not-modified') {
      send(exchange, 304, [...base, 'X-Request-Id', exchange.id]);
      return;
    }
    if (outcome === 'failed') {
      sendProblemDetails(exchange, preconditionFailed());
      return;
    }
    const { encoding } = chooseEncoding(exchange.acceptEncoding);
    if (encoding === undefined || typeof body !== 'string') {
      sendBody(exchange, body);
      return;
    }
    const compressed = compressor.compress(etag, body, encoding);
    if (compressed instanceof Promise) {
      compressed.then(
        (bytes) => sendBody(exchange, bytes, encoding),
        () => sendBody(exchange, body),
      );
    } else {
      sendBody(exchange, compressed, encoding);
    }
  };
}
