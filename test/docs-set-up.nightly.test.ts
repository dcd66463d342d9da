import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shownCommands } from './support/docs-commands.ts';
import { EvmChain, openChainNode } from './support/evm-chain.ts';
import { runCli, workplace } from './support/import-cli.ts';
import { activityLine, ndjson } from './support/import-lines.ts';

const GUESTS = `Wallet,Checked in,Hours
0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed,2026-03-04 18:05,2
0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359,2026-03-04 18:20,3
`;

/** Tried on a machine that the guide sets up, or in a terminal: test/cli/years-work and test/cli/init. */
const TRIED_ELSEWHERE = /^(?:backup|restore|init$)/;

const commandsOf = (page: string) =>
  shownCommands(readFileSync(new URL(`../${page}`, import.meta.url), 'utf8')).filter(
    (args) => !TRIED_ELSEWHERE.test(args.join(' ')),
  );

it('Every command that the README and docs/operate.md show for one’s own data works, in their order', async () => {
  const { cwd } = workplace({ 'guests.csv': GUESTS });
  const chain = new EvmChain(4_000);
  const governor = '0x323A76393544d5ecca80cd6ef2A560C6a395b7E3';
  chain.codes.set(governor.toLowerCase(), '0x6000');
  const { url } = await openChainNode(chain);
  const activities = ndjson([activityLine('solana', 1, { source: 'a:1' })]);
  const env = { FATHOM_ENV_FILE: join(cwd, '.env'), PORT: '0', METRICS_PORT: '0' };
  const shown: string[] = [];
  const run = async (args: readonly string[]) => {
    const own = args.map((each) => each.replace('https://eth.example.org/KEY', url.href));
    // Elsewhere, the environment names the database that data moves to.
    const moved = args[0] === 'migrate-store' ? { DATABASE_URL: 'sqlite:./moved.db' } : {};
    // A person is asked whether rows were understood.
    const words = args[1] === 'guests.csv' ? [...own, '--yes'] : own;
    const input = args[1] === '-' ? activities : undefined;
    const options = { cwd, env: { ...env, ...moved }, ...(input !== undefined && { input }) };
    const { code, stdout, stderr } = await runCli(words, options);
    shown.push(args[0] ?? '');
    expect(code, `fathom ${args.join(' ')}\n${stdout}${stderr}`).toBe(0);
    return stdout + stderr;
  };
  const [init = [], ...others] = commandsOf('docs/operate.md');
  expect(await run(init)).toContain('ETHEREUM_RPC_URL');
  for (const args of commandsOf('README.md')) await run(args);
  for (const args of others) await run(args);
  expect(new Set(shown)).toEqual(new Set(['init', 'import', 'rules', 'doctor', 'migrate-store']));
});
