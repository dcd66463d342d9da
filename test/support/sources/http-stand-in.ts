import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { type Misbehaviour, misbehave } from '../misbehaviour.ts';

/** A stand-in's response. */
export interface StandInAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent as it is, so that numbers can have any size. */
  readonly body: unknown;
}

/** A complete request to a stand-in. */
export interface StandInRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface HttpStandIn {
  /** Has secrets in its path and query. */
  readonly url: URL;
  readonly host: string;
  readonly requests: StandInRequest[];
  /** Overrides the response, if it returns something. */
  instead: (request: StandInRequest) => Misbehaviour | StandInAnswer | undefined;
}

const STAND_IN_KEY = 'kEyInPaTh';

/**
 * A server, closed after the test. The test fails if `answer` throws: it checks the requests.
 * @param answer gets the path without the secret part
 */
export async function openStandIn(
  answer: (request: StandInRequest) => StandInAnswer,
): Promise<HttpStandIn> {
  const faults: unknown[] = [];
  const server = createServer((req, res) => {
    respond(req, res).catch((error: unknown) => {
      faults.push(error);
      res.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
    expect(faults).toEqual([]);
  });

  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const url = new URL(req.url ?? '', 'http://localhost');
    expect(url.pathname).toMatch(new RegExp(`^/${STAND_IN_KEY}(/|$)`));
    url.pathname = url.pathname.slice(STAND_IN_KEY.length + 1);
    const body = Buffer.concat(chunks).toString();
    const request = { method: req.method ?? '', url, headers: req.headers, body };
    standIn.requests.push(request);
    const instead = standIn.instead(request);
    if (typeof instead === 'string') misbehave(res, instead, textOf(answer(request).body));
    else {
      const { status = 200, headers = {}, body: given } = instead ?? answer(request);
      res.writeHead(status, { 'Content-Type': 'application/json', ...headers });
      res.end(textOf(given));
    }
  }

  const { port } = server.address() as AddressInfo;
  const standIn: HttpStandIn = {
    url: new URL(`http://127.0.0.1:${port}/${STAND_IN_KEY}`),
    host: `127.0.0.1:${port}`,
    requests: [],
    instead: () => undefined,
  };
  return standIn;
}

function textOf(body: unknown): string {
  return typeof body === 'string' ? body : jsonOf(body);
}

/** JSON with integers of any size: a bigint is written as a number. */
function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint'
      ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(each))
      : each,
  );
}
