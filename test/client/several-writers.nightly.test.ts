import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { CopyKeeper } from '../support/copy-keeper.ts';
import { runCli, temporaryFolder } from '../support/import-cli.ts';
import { activityLine, addressOf } from '../support/import-lines.ts';
import { patienceMs } from '../support/patience.ts';
import { rulesText, workshop } from '../support/scoring.ts';
import { serveHere } from '../support/serve-here.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const WRITERS = [0, 1] as const;
const IMPORTS = 4;
const WALLETS = 50;
const WAIT = { timeout: patienceMs(), interval: 50 };

it('a copy and a webhook miss nothing of imports that write while the service scores', async () => {
  const folder = temporaryFolder();
  const rules = join(folder, 'rules.yaml');
  writeFileSync(rules, rulesText([workshop]));
  const env = {
    ...{ DATABASE_URL: `sqlite:${join(folder, 'data.db')}`, RULES: rules },
    ...{ RATE_LIMIT_PUBLIC: '1000000', PRIVATE_NETWORKS: '127.0.0.0/8' },
  };
  const run = async (args: readonly string[], input = '') => {
    const { code, stdout, stderr } = await runCli(args, { cwd: '/', env, input });
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const receiver = await startReceiver();
  const added = await run(['webhooks', 'add', receiver.url, '--events', 'score.changed']);
  receiver.verifying.secret = added.split('\n')[1] ?? '';
  const service = await serveHere(env);
  onTestFinished(() => service.stop());
  const keeper = new CopyKeeper(service.url);
  onTestFinished(() => keeper.stop());
  keeper.start();
  await expect.poll(() => keeper.fillings, WAIT).toBe(1);

  await Promise.all(
    WRITERS.map(async (writer) => {
      for (let i = 0; i < IMPORTS; i++) {
        const lines = Array.from({ length: WALLETS }, (_, n) => {
          const source = `${writer} ${i} ${n}`;
          const timestamp = '2023-11-14T22:13:20Z';
          const address = addressOf('ethereum', n);
          return [
            activityLine('ethereum', n, { points: 3, source }),
            { kind: 'event', address, event: 'workshop_attended', timestamp, source },
          ];
        });
        await run(
          ['import', '-'],
          lines
            .flat()
            .map((line) => JSON.stringify(line))
            .join('\n'),
        );
      }
    }),
  );

  const score = WRITERS.length * IMPORTS * (3 + 25);
  const scores = () => [...keeper.copy.wallets.values()].map((wallet) => wallet.score);
  await expect.poll(scores, WAIT).toEqual(Array.from({ length: WALLETS }, () => score));
  const { digest } = await keeper.fathom.provenance({ cache: 'no-cache' });
  expect(await keeper.copy.digest()).toBe(digest);
  expect(keeper.faults).toEqual([]);
  const events = () => receiver.received.flatMap((delivery) => delivery.events);
  await expect
    .poll(() => events().filter(({ data }) => data.score === score).length, WAIT)
    .toBe(WALLETS);
  for (let n = 0; n < WALLETS; n++) {
    // Each begins where the one before has ended.
    const own = events().filter(({ data }) => data.address === addressOf('ethereum', n));
    expect(own.map(({ data }) => data.previousScore)).toEqual([
      null,
      ...own.slice(0, -1).map(({ data }) => data.score),
    ]);
  }
  expect(receiver.faults).toEqual([]);
});
