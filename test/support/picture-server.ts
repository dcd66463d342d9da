import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { TargetGuard } from '#base/json-http/target-guard';
import { type ImageFetcher, openImageFetcher } from '#pictures/untrusted/image-fetcher';

/** A picture server on 127.0.0.1, until the test ends. @returns the address of a picture */
export async function servePictures(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.svg`;
}

/** The real door, with limits of time that a busy machine keeps. */
export function doorTo(privateNetworks: readonly string[]): ImageFetcher {
  const guard = new TargetGuard({ privateNetworks });
  const door = openImageFetcher(guard, { timeoutMs: 60_000, decodeMs: 60_000 });
  onTestFinished(() => door.close());
  return door;
}
