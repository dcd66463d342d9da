import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dayOf } from '#base/time/time';
import { textsFor } from '#command/texts/index';
import { openQuietly } from '../support/filled-store.ts';
import { HOME, ruleOf } from '../support/gate-records.ts';
import { type Workplace, workplace } from '../support/import-cli.ts';
import { addressOf } from '../support/import-lines.ts';
import { eventOf } from '../support/ledger.ts';
import { REEF, SYBILS } from '../support/rules.ts';
import { rulesText, ScoredStore, TODAY } from '../support/scoring.ts';

describe('fathom rules check', () => {
  it('explains each rule in words, and prints a hash for comparison', async () => {
    const place = workplace();
    writeFileSync(join(place.cwd, 'rules.yaml'), REEF);
    writeFileSync(join(place.cwd, 'sybils.csv'), SYBILS);
    const { code, stdout, stderr } = await place.run(['rules', 'check', 'rules.yaml']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^reef-dao, version 3\nsha256 [0-9a-f]{64}\n/);
    const { rules: words } = textsFor('en');
    const workshop = words.forEach('25 points', words.event.imported('workshop_attended'));
    expect(stdout).toContain(`\nworkshop       ${workshop}; `);
    expect(stdout).toContain(`known: ${words.discountList('1', true, '0%')}.`);
    expect(stderr).toContain("Note: GNOSIS_RPC_URL isn't set, so its node can't be used.\n");
  });

  it('locates faults, and exits with 1', async () => {
    const place = workplace();
    writeFileSync(join(place.cwd, 'rules.yaml'), REEF.replace('points: 20', 'pionts: 20'));
    writeFileSync(join(place.cwd, 'sybils.csv'), SYBILS);
    const { code, stdout, stderr } = await place.runHere(['rules', 'check', 'rules.yaml']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain(
      'rules.yaml:19:35 rules[1].give: Unknown field "pionts". Did you mean points?\n',
    );
  });

  it('says why a file can’t be read', async () => {
    const place = workplace();
    mkdirSync(join(place.cwd, 'folder'));
    writeFileSync(join(place.cwd, 'latin'), Buffer.from([0x61, 0xff]));
    const said = async (name: string) => (await place.runHere(['rules', 'check', name])).stderr;
    expect(await said('missing.yaml')).toBe("Can't read missing.yaml: the file doesn't exist.\n");
    symlinkSync('loop.yaml', join(place.cwd, 'loop.yaml'));
    expect(await said('loop.yaml')).toBe(
      "Can't read loop.yaml: its symbolic links lead in a circle.\n",
    );
    expect(await said('folder')).toBe("folder isn't a regular file.\n");
    expect(await said('/dev/zero')).toBe("/dev/zero isn't a regular file.\n");
    // No one ever writes to it.
    execFileSync('mkfifo', [join(place.cwd, 'pipe')]);
    expect(await said('pipe')).toBe("pipe isn't a regular file.\n");
    writeFileSync(
      join(place.cwd, 'rules.yaml'),
      rulesText(['{id: a, on: {import: done}, give: {type: done, points: 1}}'], {
        more: 'discounts:\n  - {id: known, list: ./pipe, factor: 0}\n',
      }),
    );
    expect(await said('rules.yaml')).toMatch(
      /discounts\[0\]\.list: pipe isn't a regular file\.\n$/,
    );
    expect(await said('latin')).toBe("latin isn't UTF-8 text. Save it as UTF-8.\n");
  });
});

describe('fathom doctor', () => {
  it('describes the rules file and the live rules', async () => {
    const place = workplace();
    const env = { RULES: 'rules.yaml' };
    const said = async () => {
      const { stdout } = await place.runHere(['doctor'], env);
      return stdout.split('\n').find((line) => line.includes(' rules '));
    };
    expect(await said()).toMatch(/^fail +rules +Can't read rules\.yaml: the file doesn't exist\.$/);
    const rule = '{id: a, on: {import: done}, give: {type: done, points: 1}}';
    writeFileSync(join(place.cwd, 'rules.yaml'), rulesText([rule]));
    expect(await said()).toMatch(/^ok +rules +rules\.yaml is valid \(test version 1\)$/);
  });
});

describe('applying rules', () => {
  const rule = (points: number) =>
    `{id: workshop, on: {import: workshop_attended}, give: {type: event_attended, points: ${points}}}`;

  /** Twelve wallets of tier Dolphin by the live rules, and a file by which they aren't. */
  async function live() {
    const place = workplace({ 'two.yaml': rulesText([rule(100)], { version: 2 }) });
    const store = await openQuietly(place.env.DATABASE_URL);
    const scored = new ScoredStore(store, TODAY);
    const wallets = Array.from({ length: 12 }, (_, i) => addressOf('ethereum', i));
    await scored.add(...wallets.map((address) => eventOf({ chain: 'ethereum', address }, 'w1')));
    await scored.apply(rulesText([rule(600)]));
    await store.close();
    return place;
  }

  async function averageOf(place: Workplace): Promise<number> {
    const store = await openQuietly(place.env.DATABASE_URL);
    const { averageScore } = await (await store.openSource()).reading().stats();
    await store.close();
    return averageScore;
  }

  it('says that there is no database, and makes none', async () => {
    const place = workplace({ 'two.yaml': rulesText([rule(1)]) });
    const no = {
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^There's no database at .*db yet\. /),
    };
    for (const what of ['rehearse two.yaml', 'apply two.yaml', 'undo']) {
      expect(await place.runHere(['rules', ...what.split(' ')]), what).toMatchObject(no);
    }
    expect(await place.runHere(['sybil', 'report'])).toMatchObject(no);
    expect(await place.runHere(['evidence', 'export', 'x.gz'])).toMatchObject(no);
    const retraction = [addressOf('ethereum', 1), 'came', 'w1', '--reason', 'Did not come'];
    expect(await place.runHere(['evidence', 'retract', ...retraction])).toMatchObject(no);
    expect(readdirSync(place.cwd).toSorted()).toEqual(['tmp', 'two.yaml']);
  });

  it('rehearses first, and refuses if too many scores would fall', async () => {
    const place = await live();
    const rehearsed = await place.run(['rules', 'rehearse', 'two.yaml', '--csv', 'moves.csv']);
    expect(rehearsed).toMatchObject({ code: 0 });
    expect(rehearsed.stdout).toContain('12 of 12 wallets would change.');
    expect(rehearsed.stdout).toMatch(/^Dolphin +12 +0 +0 +12$/m);
    const [head, first, ...rest] = place.read('moves.csv').trimEnd().split('\n');
    expect(head).toBe('address,chain,before,after,tierBefore,tierAfter,badges,reason');
    expect(first).toMatch(/^0x\w{40},ethereum,600,100,Dolphin,Shrimp,,workshop -500$/);
    expect(rest).toHaveLength(11);
    const refused = await place.runHere(['rules', 'apply', 'two.yaml']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('12 of 12 wallets with tier Dolphin would fall from it.');
    expect(await averageOf(place)).toBe(600);
  });

  it('takes back the days of a clock that was ahead, which a rehearsal shows', async () => {
    const rules = (version: number) =>
      rulesText([rule(600).replace('points: 600', 'points: 600, half_life: 9d')], { version });
    const place = workplace({ 'two.yaml': rules(2) });
    const store = await openQuietly(place.env.DATABASE_URL);
    const now = Math.floor(Date.now() / 1000);
    const wallet = { chain: 'ethereum', address: addressOf('ethereum', 1) } as const;
    const scored = new ScoredStore(store, dayOf(now) + 400);
    await scored.add(eventOf(wallet, 'w1', { timestamp: now }));
    await scored.apply(rules(1));
    await store.close();
    expect(await averageOf(place)).toBe(0);
    const env = { RULES: 'two.yaml' };
    const examined = () => place.runHere(['doctor'], env);
    expect((await examined()).stdout).toMatch(
      /^warn +rules +test version 1 is live with the daily steps up to 20\d\d-\d\d-\d\d, as a clock was ahead\. /m,
    );
    const { stdout } = await place.runHere(['rules', 'rehearse', 'two.yaml']);
    expect(stdout).toContain('1 of 1 wallet would change.');
    await place.runHere(['rules', 'apply', 'two.yaml']);
    expect(await averageOf(place)).toBe(600);
    expect((await examined()).stdout).toMatch(/^ok +rules +test version 2 is live$/m);
  });

  it('refuses if too many members would lose a role, which a page shows', async () => {
    const place = await live();
    writeFileSync(join(place.cwd, 'three.yaml'), rulesText([rule(550)], { version: 2 }));
    const store = await openQuietly(place.env.DATABASE_URL);
    const requirements = [{ kind: 'score', least: 600 }] as const;
    await store.gating.putRule(ruleOf('aaaa', { grantName: '<b>Divers</b>', requirements }));
    for (let i = 0; i < 6; i += 1) {
      const wallet = { chain: 'ethereum', address: addressOf('ethereum', i) } as const;
      const account = { platform: HOME.platform, id: String(i) };
      const proof = { wallet, by: 'key', network: '', evidence: undefined, text: '' } as const;
      const linked = { account, wallet, proof, linkedAt: 1, checkedAt: 1, strikes: 0 };
      await store.links.change(wallet, account, () => ({ events: [], link: linked }));
    }
    await store.gating.noteMembers(HOME, ['0', '1', '2', '3', '4', '5']);
    await store.close();
    const refused = await place.runHere(['rules', 'apply', 'three.yaml']);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain(
      '6 of 6 members with <b>Divers</b> (discord 10) would lose it.',
    );
    const args = ['rules', 'rehearse', 'three.yaml', '--html', 'page.html', '--lang', 'es'];
    expect(await place.runHere(args)).toMatchObject({ code: 0, stderr: '' });
    const page = place.read('page.html');
    expect(page).toContain('<html lang="es">');
    expect(page).toContain('&lt;b&gt;Divers&lt;/b&gt; (discord 10)');
    // Nothing to load, and nothing to run.
    expect(page).not.toMatch(/<script|<link|<img|src=|url\(|@import|https?:/);
  });

  it('proceeds with --yes, and can be rolled back', async () => {
    const place = await live();
    expect(await place.run(['rules', 'apply', 'two.yaml', '--yes'])).toMatchObject({
      ...{ code: 0, stdout: 'test, version 2, is live.\n' },
    });
    expect(await averageOf(place)).toBe(100);
    expect(await place.run(['rules', 'undo'])).toMatchObject({
      ...{ code: 0, stdout: 'test, version 1, is live again.\n' },
    });
    expect(await averageOf(place)).toBe(600);
  });

  it('requires a new version for another meaning, as fathom doctor says', async () => {
    const place = await live();
    writeFileSync(join(place.cwd, 'two.yaml'), rulesText([rule(100)]));
    const env = { RULES: 'two.yaml' };
    const { stdout } = await place.runHere(['doctor'], env);
    expect(stdout).toMatch(
      /^fail +rules +Version 1 of test was already applied with different content\. Give these rules version 2\.$/m,
    );
  });

  it('shows how wallets would spread over tiers, and writes thresholds that fit where asked', async () => {
    const place = workplace({ 'two.yaml': rulesText([rule(10)]), '.env': 'TIERS=x\nA=b' });
    const store = await openQuietly(place.env.DATABASE_URL);
    for (let i = 0; i < 8; i += 1) {
      const wallet = { chain: 'ethereum', address: addressOf('ethereum', i) } as const;
      const events = Array.from({ length: i + 1 }, (_, n) => eventOf(wallet, `w${n}`));
      await new ScoredStore(store, TODAY).add(...events);
    }
    await store.close();
    const offered = 'TIERS=titan=80,whale=70,shark=60,dolphin=50';
    const checked = await place.runHere(['rules', 'check', 'two.yaml']);
    expect(checked.code).toBe(0);
    expect(checked.stdout).toContain(`8 wallets by tier:`);
    expect(checked.stdout).toContain(`\n${offered}\n`);
    const write = (env: Record<string, string>) =>
      place.runHere(['rules', 'rehearse', 'two.yaml', '--write-tiers'], env);
    const file = join(place.cwd, '.env');
    expect(await write({ FATHOM_ENV_FILE: join(place.cwd, 'none') })).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('to write to. Put the line where') },
    });
    const tiers = 'titan=4,whale=3,shark=2,dolphin=1';
    expect(await write({ FATHOM_ENV_FILE: file, TIERS: tiers })).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('The environment sets TIERS') },
    });
    expect(place.read('.env')).toBe('TIERS=x\nA=b');
    expect(await write({ FATHOM_ENV_FILE: file })).toMatchObject({ code: 0 });
    expect(place.read('.env')).toBe(`${offered}\nA=b`);
  });

  it('overwrites no file with --csv, and leaves none if a rehearsal fails', async () => {
    const place = await live();
    const both = ['rules', 'rehearse', 'two.yaml', '--csv', 'new.csv', '--html', 'two.yaml'];
    expect(await place.runHere(both)).toMatchObject({ code: 2, stdout: '' });
    expect(readdirSync(place.cwd).filter((name) => name.includes('new.csv'))).toEqual([]);
    const { code, stderr } = await place.runHere([
      'rules',
      'rehearse',
      'two.yaml',
      '--csv',
      'two.yaml',
    ]);
    expect([code, stderr]).toEqual([
      2,
      "Can't write two.yaml: it is there already; name a new file.\n",
    ]);
  });
});
