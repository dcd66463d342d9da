import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from '#app/config';
import { checkRules } from '#cli/doctor/rules';
import { applyRules } from '#scoring/rules-file/apply';
import { keptCandidate } from '#scoring/rules-file/candidate';
import { chains } from '#wallet/chains/index';
import { createWalletParser } from '#wallet/wallet';
import { openQuietly } from '../support/filled-store.ts';
import { temporaryFolder } from '../support/import-cli.ts';
import { validRules } from '../support/rules.ts';

const TEXT = `fathom: 1
name: reef
version: 3
sources:
  eth: {chain: "eip155:1", rpc: [NODE]}
rules:
  - {id: sent, on: {source: eth, contract: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", event: "Transfer(address indexed from, address indexed to, uint256 value)", since: 1}, wallet: to, give: {type: sent, points: 5}}
`;

/** What doctor says of a rules file while these are live. @param isFormer as accepted before burn addresses were left out */
async function said(isFormer: boolean) {
  const folder = temporaryFolder();
  const env = { DATABASE_URL: `sqlite:${join(folder, 'f.db')}`, RULES: join(folder, 'rules.yaml') };
  writeFileSync(env.RULES, TEXT);
  const { hash, formerHashes, rules } = validRules(TEXT);
  const [former = ''] = formerHashes;
  const { name, version } = rules;
  const kept = { name, version, hash: isFormer ? former : hash, text: TEXT, lists: {} };
  const store = await openQuietly(env.DATABASE_URL);
  const { signal } = new AbortController();
  await applyRules(keptCandidate(kept, createWalletParser(chains)), {
    ...{ store: store.scoring, signal },
  });
  await store.close();
  const { stdout, stderr } = process;
  const context = { env, stdout, stderr };
  return await checkRules(loadConfig(env), context, true);
}

it('Doctor warns that rules of an earlier version count burn addresses, and says what to do', async () => {
  expect(await said(true)).toEqual([
    {
      ...{ subject: 'rules', level: 'warn' },
      text: 'reef version 3 is live as it was applied by an earlier Fathom, so it counts burn addresses that are known by now. Give it a higher version to leave them out.',
    },
  ]);
});

it('Doctor has nothing to warn of once they are left out', async () => {
  expect(await said(false)).toEqual([
    { subject: 'rules', level: 'ok', text: 'reef version 3 is live' },
  ]);
});

it('Doctor warns of a rules file beside the settings that nothing names', async () => {
  const folder = temporaryFolder();
  const env = { FATHOM_ENV_FILE: join(folder, '.env'), DATABASE_URL: 'sqlite::memory:' };
  const { stdout, stderr } = process;
  const said = () => checkRules(loadConfig(env), { env, stdout, stderr }, false);
  expect(await said()).toEqual([]);
  writeFileSync(join(folder, 'rules.yaml'), TEXT);
  expect(await said()).toEqual([
    {
      ...{ subject: 'rules', level: 'warn' },
      text: `${join(folder, 'rules.yaml')} isn't used, as RULES isn't set. If it should count, set RULES=./rules.yaml in .env.`,
    },
  ]);
});

it('Doctor warns that demo data has its own rules, whatever the file says', async () => {
  const env = { RULES: join(temporaryFolder(), 'rules.yaml') };
  writeFileSync(env.RULES, TEXT);
  const { stdout, stderr } = process;
  const findings = await checkRules(loadConfig(env), { env, stdout, stderr }, false);
  expect(findings).toEqual([
    { subject: 'rules', level: 'warn', text: expect.stringContaining('DATABASE_URL') },
  ]);
});
