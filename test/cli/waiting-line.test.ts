import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CliCommand, CliContext } from '#cli/command';
import { cliCommands } from '#cli/commands';
import { dispatch } from '#cli/dispatch';
import { waitingFor } from '#cli/progress';
import { workplace } from '../support/import-cli.ts';

/** One of a process's streams, as a person at a terminal sees it, or a pipe. */
class Screen {
  readonly isTTY: boolean;
  readonly written: string[] = [];
  /** What stands in each line now. */
  shown = '';

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  write(text: string): boolean {
    this.written.push(text);
    for (const [place, part] of text.split('\r\x1b[2K').entries()) {
      if (place > 0) this.shown = this.shown.replace(/[^\n]*$/, '');
      this.shown += part;
    }
    return true;
  }
}

function contextOf(isTTY: boolean, env: NodeJS.ProcessEnv = {}) {
  const screen = new Screen(isTTY);
  const streams = { stdout: screen, stderr: screen } as unknown as CliContext;
  return { screen, context: { ...streams, env } };
}

function commandOf(run: (context: CliContext) => Promise<number>): CliCommand {
  return {
    ...{ name: 'try', synopsis: '', summary: '', help: '', options: {} },
    ...{ operands: { min: 0, max: 0 }, run: (_, context) => run(context) },
  };
}

describe('a command that waits', () => {
  const tried = (isTTY: boolean, run: (context: CliContext) => Promise<number>) => {
    const { screen, context } = contextOf(isTTY);
    return { screen, ended: dispatch([commandOf(run)], ['try'], context) };
  };

  beforeAll(
    () => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }),
  );
  afterAll(() => void vi.useRealTimers());

  it('says for what, second by second, and leaves nothing behind', async () => {
    const over = Promise.withResolvers<number>();
    const { screen, ended } = tried(true, () => waitingFor('the nodes of eth', () => over.promise));
    await vi.advanceTimersByTimeAsync(999);
    expect(screen.shown).toBe('');
    await vi.advanceTimersByTimeAsync(1);
    expect(screen.shown).toBe('Waiting for the nodes of eth … 1 s');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(screen.shown).toBe('Waiting for the nodes of eth … 5 s');
    over.resolve(0);
    expect(await ended).toBe(0);
    expect(screen.shown).toBe('');
  });

  it('names the innermost wait, and gives way to what is printed', async () => {
    const [inner, outer] = [Promise.withResolvers<void>(), Promise.withResolvers<number>()];
    const { screen, ended } = tried(true, ({ stdout, stderr }) =>
      waitingFor('the database', async () => {
        await waitingFor('Redis', () => inner.promise);
        stdout.write('a result\n');
        await Promise.resolve();
        stderr.write('a warning\n');
        return await outer.promise;
      }),
    );
    await vi.advanceTimersByTimeAsync(1_000);
    expect(screen.shown).toBe('Waiting for Redis … 1 s');
    inner.resolve();
    await vi.advanceTimersByTimeAsync(999);
    expect(screen.shown).toBe('a result\na warning\n');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(screen.shown).toMatch(/^a result\na warning\nWaiting for the database … \d s$/);
    outer.resolve(3);
    expect(await ended).toBe(3);
    expect(screen.shown).toBe('a result\na warning\n');
  });

  it('says nothing of it in a pipe or a log', async () => {
    const over = Promise.withResolvers<number>();
    const { screen, ended } = tried(false, () => waitingFor('a node', () => over.promise));
    await vi.advanceTimersByTimeAsync(60_000);
    over.resolve(0);
    expect(await ended).toBe(0);
    expect(screen.written).toEqual([]);
  });
});

/** Takes connections and says nothing, until it's stopped. */
async function openSilence() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = () => {
    for (const each of sockets) each.destroy();
    server.close();
  };
  onTestFinished(stop);
  return { place: `127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

const TOKEN = '0xc00e94Cb662C3520282E6f5717214004A7f26888';
const RULES = `fathom: 1
name: test
version: 1
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: staked, on: {source: eth, contract: "${TOKEN}", event: "Staked(address indexed who)", since: 1}, wallet: who, give: {type: staked, points: 1}}
`;

describe('in a terminal, a command names what hangs:', () => {
  const DATABASE = (place: string) => ({ DATABASE_URL: `postgres://fathom@${place}/fathom` });
  const NODE = (place: string) => ({
    NODE: `http://${place}`,
    ETHEREUM_RPC_URL: `http://${place}`,
  });

  it.each([
    [
      'rules add',
      `rules add erc20-holder --token ${TOKEN} --min 1 --file new.yaml --yes`,
      NODE,
      'the nodes of eth',
    ],
    ['rules check', 'rules check rules.yaml', NODE, 'the nodes of eth'],
    ['keys list', 'keys list', DATABASE, 'the database'],
    ['doctor', 'doctor', DATABASE, 'the database'],
  ])('%s', async (_, words, env, what) => {
    const silence = await openSilence();
    const { screen, context } = contextOf(true, env(silence.place));
    const { cwd } = workplace({ 'rules.yaml': RULES });
    const before = process.cwd();
    process.chdir(cwd);
    onTestFinished(() => process.chdir(before));
    const ended = dispatch(cliCommands, words.split(' '), context);
    await vi.waitFor(() => expect(screen.shown).toContain(`Waiting for ${what} … `), 30_000);
    silence.stop();
    expect(await ended).toEqual(expect.any(Number));
    expect(screen.shown).not.toContain('Waiting for');
  });
});
