import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { type Misbehaviour, misbehave } from '../misbehaviour.ts';

export interface JsonServer {
  readonly url: string;
  readonly port: number;
  /** Overrides the response. */
  instead: Misbehaviour | undefined;
  requests: number;
}

interface JsonAnswer {
  readonly status?: number;
  readonly body: unknown;
}

/**
 * A JSON server, closed after the test, which fails if a request was one that the real server wouldn't
 * understand.
 */
export async function openJsonServer(
  answer: (
    path: string,
    body: unknown,
    request: IncomingMessage,
  ) => JsonAnswer | Promise<JsonAnswer>,
): Promise<JsonServer> {
  const faults: unknown[] = [];
  const http = createServer((req, res) => {
    const respond = async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      server.requests += 1;
      const text = Buffer.concat(chunks).toString();
      const said = await answer(req.url ?? '', text === '' ? undefined : JSON.parse(text), req);
      const json = JSON.stringify(said.body);
      if (server.instead !== undefined) misbehave(res, server.instead, json);
      else res.writeHead(said.status ?? 200, { 'Content-Type': 'application/json' }).end(json);
    };
    respond().catch((error: unknown) => {
      faults.push(error);
      res.destroy();
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    await new Promise<void>((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
    expect(faults).toEqual([]);
  });
  const { port } = http.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const server: JsonServer = { url, port, instead: undefined, requests: 0 };
  return server;
}
