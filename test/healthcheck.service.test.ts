import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../bench/servers/free-port.ts';
import { NO_DATA, startService } from './support/service.ts';

const DOCKERFILE = readFileSync(new URL('../Dockerfile', import.meta.url), 'utf8');
const COMMAND = JSON.parse(/HEALTHCHECK[^\n]*\\\n +CMD (\[.*\])/.exec(DOCKERFILE)?.[1] ?? '[]') as [
  string,
  ...string[],
];

async function check(port: number): Promise<unknown> {
  const [program, ...args] = COMMAND;
  const env = { PATH: process.env.PATH, PORT: String(port) };
  const [code] = await once(spawn(program, args, { env, stdio: 'ignore' }), 'exit');
  return code;
}

it("the image's check is passed by a service, and by nothing else", async () => {
  const service = await startService(NO_DATA);
  onTestFinished(async () => void (await service.stop()));
  expect(await check(Number(new URL(service.url).port))).toBe(0);
  expect(await check(await freePort())).not.toBe(0);
  const broken = createServer((_, res) => {
    res.statusCode = 503;
    res.end();
  });
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void broken.close());
  expect(await check((broken.address() as AddressInfo).port)).not.toBe(0);
});
