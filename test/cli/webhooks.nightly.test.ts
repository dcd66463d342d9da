import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadConfig } from '#app/config';
import type { CliContext } from '#cli/command';
import { cliCommands } from '#cli/commands';
import { dispatch } from '#cli/dispatch';
import { checkWebhooks } from '#cli/doctor/services';
import { DEFAULT_THRESHOLDS } from '#reputation/tier';
import { openSqliteStore } from '#storage/sqlite/open';
import { temporaryFolder } from '../support/import-cli.ts';
import { silentLog } from '../support/log.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const EVENTS = ['--events', 'badge.earned,tier.changed'];
const URL = 'https://example.org/';
const NOT_USED = {
  ...{ cursor: '0-000000000000', deliveries: [], events: [] },
  ...{ droppedDeliveries: [], droppedEvents: [], attempts: [] },
};

describe('fathom webhooks', () => {
  let file: string;
  let env: Record<string, string>;

  beforeEach(() => {
    file = join(temporaryFolder(), 'data.db');
    env = { DATABASE_URL: `sqlite:${file}`, PRIVATE_NETWORKS: '127.0.0.0/8' };
  });

  /** Runs a command in this process. */
  async function run(...args: string[]) {
    const told = { stdout: '', stderr: '' };
    const writer = (name: 'stdout' | 'stderr') => ({
      write: (text: string) => {
        told[name] += text;
      },
    });
    const context = { env, stdout: writer('stdout'), stderr: writer('stderr') };
    const code = await dispatch(
      cliCommands,
      ['webhooks', ...args],
      context as unknown as CliContext,
    );
    return { code, ...told };
  }

  it('are added with a secret that is shown once, and listed in columns', async () => {
    const args = ['--chain', 'sol', '--min-tier', 'shark'];
    const added = await run('add', 'http://127.0.0.1:9/hook', ...EVENTS, ...args);
    expect(added).toMatchObject({ code: 0 });
    expect(added.stdout).toMatch(/^wh_[0-9a-f]{20}\nwhsec_[\w+/]{43}=\n$/);
    await run('add', URL, ...EVENTS);
    const { stdout } = await run('list');
    const [heading, first, second] = stdout.trimEnd().split('\n');
    expect(heading).toMatch(/^ID +URL +EVENTS +CHAIN +MIN TIER +HELD +STATE$/);
    expect(first).toMatch(
      /^wh_\w+ +http:\S+ +tier.changed,badge.earned +sol +Shark +0 +active, nothing sent yet$/,
    );
    expect(second?.indexOf('active')).toBe(first?.indexOf('active'));
    expect(stdout).not.toContain('whsec_');
  });

  it('are tested, rotated, resumed and removed', async () => {
    const receiver = await startReceiver();
    const [id = '', secret = ''] = (await run('add', receiver.url, ...EVENTS)).stdout.split('\n');
    receiver.verifying.secret = secret;
    expect(await run('test', id)).toMatchObject({ code: 0, stdout: 'taken: HTTP 204\n' });
    const rotated = await run('rotate', id);
    expect(rotated.stdout).toMatch(/^whsec_[\w+/]{43}=\n$/);
    await run('test', id);
    receiver.verifying.secret = rotated.stdout.trim();
    await run('test', id);
    expect(receiver.received.map(({ signatures }) => signatures.length)).toEqual([1, 2, 2]);
    // The receiver may still have the first one.
    receiver.verifying.secret = secret;
    const again = await run('rotate', id);
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toMatch(/still signs until \S+Z, .* --force/);
    expect(await run('test', id)).toMatchObject({ code: 0 });
    expect((await run('rotate', id, '--force')).stdout).toMatch(/^whsec_/);
    expect(await run('test', id)).toMatchObject({ code: 1, stdout: 'not taken: HTTP 400\n' });

    expect(await run('resume', id, '--skip')).toMatchObject({ code: 0, stdout: '' });
    expect(await run('remove', id)).toMatchObject({ code: 0, stdout: '' });
    for (const command of ['test', 'rotate', 'resume', 'remove', 'deliveries']) {
      const { code, stderr } = await run(command, id);
      expect([code, stderr]).toEqual([1, `There is no webhook with the id ${id}.\n`]);
    }
  });

  it('show what they delivered, and why they are paused, to the doctor too', async () => {
    const [id = ''] = (await run('add', URL, ...EVENTS)).stdout.split('\n');
    const doctor = async () => {
      const context = { env, stderr: process.stderr } as unknown as CliContext;
      return await checkWebhooks(loadConfig(env), context, true);
    };
    expect(await doctor()).toEqual([{ level: 'ok', subject: 'webhooks', text: '1 active' }]);

    const store = openSqliteStore(file, { thresholds: DEFAULT_THRESHOLDS, log: silentLog });
    await store.webhooks.begin(id);
    const attempt = { at: 1_800_000_000, delivery: 'msg_1', events: 12, milliseconds: 7 };
    const pause = { at: 1_800_000_000, reason: 'A delivery has failed for three days.' };
    const attempts = [{ ...attempt, isTaken: false, result: 'HTTP 500' }];
    await store.webhooks.commit(id, 1, { ...NOT_USED, attempts, pause });
    await store.close();

    expect((await run('deliveries', id)).stdout).toBe(
      'TIME                  DELIVERY  EVENTS  MS  TAKEN  RESULT\n' +
        '2027-01-15T08:00:00Z  msg_1         12   7  no     HTTP 500\n',
    );
    expect((await run('list')).stdout).toContain(
      'paused 2027-01-15T08:00:00Z: A delivery has failed',
    );
    expect(await doctor()).toEqual([
      {
        level: 'warn',
        subject: 'webhooks',
        text: `${id} is paused. A delivery has failed for three days. Run "fathom webhooks resume ${id}".`,
      },
    ]);
  });

  it.each([
    [[URL], '--events'],
    [[URL, '--events', 'tier.changd'], '--events takes any of tier.changed,'],
    [[URL, ...EVENTS, '--chain', 'btc'], '--chain takes eth, sol, algo'],
    [[URL, ...EVENTS, '--min-tier', 'Kraken'], '--min-tier takes Titan,'],
    [['http://example.org/', ...EVENTS], 'must be https'],
    [['https://user:pw@example.org/', ...EVENTS], 'without a user'],
    [['example.org', ...EVENTS], 'must be a full URL'],
    [['https://example.org:22/', ...EVENTS], 'must be at port 443 or from 1024 on'],
    [['https://127.0.0.1/', ...EVENTS], 'is at a private address'],
    [['https://[fd00::1]/', ...EVENTS], 'is at a private address'],
  ])('refuse %j', async (args, words) => {
    env.PRIVATE_NETWORKS = '';
    const { code, stdout, stderr } = await run('add', ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
  });

  it('are not for an instance that reads from another', async () => {
    env.UPSTREAM_URL = 'https://rep.example.org/v1';
    const { code, stderr } = await run('add', URL, ...EVENTS);
    expect(code).toBe(2);
    expect(stderr).toContain('UPSTREAM_URL is set');
  });
});
