import { describe, expect, it } from 'vitest';
import { flagOf, readTemplate, TEMPLATE_NAMES } from '#scoring/rules-file/templates/template';
import { runHere, workplace } from '../support/import-cli.ts';

describe('fathom rules templates', () => {
  it('lists every template with its parameters: whether they are needed or their default, and what they mean', async () => {
    const { code, stdout } = await runHere(['rules', 'templates'], {});
    expect(code).toBe(0);
    const parts = stdout.split('\n\n');
    for (const name of TEMPLATE_NAMES) {
      const [title, ...rows] = parts[TEMPLATE_NAMES.indexOf(name)]?.split('\n') ?? [];
      expect(title).toMatch(new RegExp(`^${name}: .`));
      const { parameters } = readTemplate(name);
      expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual(
        parameters.map((each) => [flagOf(each.name), expect.stringMatching(/\S/), each.ask]),
      );
    }
    // All columns begin at the same places.
    const rows = stdout.split('\n').filter((line) => line.startsWith('  --'));
    const places = rows.map((row) => /^ {2}\S+ +\S.*? {2,}(?=\S)/.exec(row)?.[0].length);
    expect(new Set(places).size).toBe(1);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(130);
  });

  it.each(TEMPLATE_NAMES)('%s shows a command that adds its rules as they are', async (name) => {
    const { stdout } = await runHere(['rules', 'templates', name], {});
    const [, command = ''] = /^ {2}fathom (rules add .*)$/m.exec(stdout) ?? [];
    const [, more = ''] = /^Without a node, add: (.*)$/m.exec(stdout) ?? [];
    expect(command).toContain(`rules add ${name}`);
    const place = workplace();
    const words = `${command} ${more}`.trim().split(' ');
    const chain = readTemplate(name).chains.length > 0 ? [] : ['--chain', 'eip155:1'];
    const isEvm = readTemplate(name).source === 'evm';
    const added = await place.runHere([...words, ...(isEvm ? chain : [])]);
    expect(added, added.stderr).toMatchObject({ code: 0 });
    const checked = await place.runHere(['rules', 'check', 'rules.yaml']);
    expect(checked, checked.stderr).toMatchObject({ code: 0 });
  });
});
