import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, workplace } from '../support/import-cli.ts';
import { REEF, SYBILS } from '../support/rules.ts';
import { rulesText } from '../support/scoring.ts';

describe('fathom rules check', () => {
  it('says each rule in words, and the hash that others can compare', async () => {
    const place = workplace();
    writeFileSync(join(place.cwd, 'rules.yaml'), REEF);
    writeFileSync(join(place.cwd, 'sybils.csv'), SYBILS);
    const { code, stdout, stderr } = await place.run(['rules', 'check', 'rules.yaml']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^reef-dao, version 3\nsha256 [0-9a-f]{64}\n/);
    expect(stdout).toMatch(/^workshop {7}25 points for each imported event workshop_attended; /m);
    expect(stdout).toContain('known: 1 listed wallet keeps 0 % of their points.');
    expect(stderr).toContain("Note: GNOSIS_RPC_URL isn't set, so its node can't be asked.\n");
  });

  it('names the places of what is wrong, and exits with 1', async () => {
    const place = workplace();
    writeFileSync(join(place.cwd, 'rules.yaml'), REEF.replace('points: 20', 'pionts: 20'));
    writeFileSync(join(place.cwd, 'sybils.csv'), SYBILS);
    const { code, stdout, stderr } = await place.run(['rules', 'check', 'rules.yaml']);
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
    const said = async (name: string) => (await place.run(['rules', 'check', name])).stderr;
    expect(await said('missing.yaml')).toBe("Can't read missing.yaml: there is no such file.\n");
    expect(await said('folder')).toBe('folder is no file.\n');
    expect(await said('latin')).toBe("latin isn't UTF-8 text. Save it as UTF-8.\n");
  });
});

describe('fathom doctor', () => {
  it('says how the rules file is, beside what is live', async () => {
    const place = workplace();
    const env = { ...place.env, RULES: 'rules.yaml' };
    const said = async () => {
      const { stdout } = await runCli(['doctor'], { cwd: place.cwd, env });
      return stdout.split('\n').find((line) => line.includes(' rules '));
    };
    expect(await said()).toMatch(/^fail +rules +Can't read rules\.yaml: there is no such file\.$/);
    const rule = '{id: a, on: {import: done}, give: {type: done, points: 1}}';
    writeFileSync(join(place.cwd, 'rules.yaml'), rulesText([rule]));
    expect(await said()).toMatch(/^ok +rules +rules\.yaml is valid \(test version 1\)$/);
  });
});
