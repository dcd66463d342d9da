import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shellLines, splitShell } from './support/docs-commands.ts';
import { workplace } from './support/import-cli.ts';

const PAGE = readFileSync(new URL('../docs/scoring.md', import.meta.url), 'utf8');

function blocks(language: string): string[] {
  return [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, block = '']) => block,
  );
}

it('Every command that docs/scoring.md shows works, in its order and with its own files', async () => {
  const [event = '', retraction = ''] = blocks('json');
  const [rules = ''] = blocks('yaml');
  const place = workplace({ 'events.ndjson': event, 'rules.yaml': rules });
  const run = async (args: readonly string[]) => {
    const { code, stderr } = await place.runHere(args);
    expect(code, `fathom ${args.join(' ')}\n${stderr}`).toBe(0);
  };
  const shown: string[] = [];
  for (const line of shellLines(PAGE)) {
    // The service makes the first rules live; so does this command.
    if (line === 'npm start') await run(['rules', 'apply', 'rules.yaml']);
    if (!line.startsWith('fathom ')) continue;
    shown.push(line);
    // The page says to give the changed file a higher version here.
    if (line.includes('rules rehearse')) {
      const changed = rules.replace('version: 1', 'version: 2').replace('points: 25', 'points: 20');
      writeFileSync(join(place.cwd, 'rules.yaml'), changed);
    }
    // No chain is read here: test/cli/against-chain.nightly.test.ts does that.
    if (!line.includes('--against-chain')) await run(splitShell(line).slice(1));
  }
  expect(shown.length).toBeGreaterThan(8);
  expect(place.read('moves.csv')).toMatch(/^address,chain,before,after,/);
  writeFileSync(join(place.cwd, 'events.ndjson'), retraction);
  await run(['import', 'events.ndjson']);
});
