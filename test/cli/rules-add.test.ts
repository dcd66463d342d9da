import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runRulesAdd } from '#cli/rules/add/run';
import { workplace } from '../support/import-cli.ts';
import { type Answer, answering } from '../support/init-answers.ts';

/** Adds rules for guests where the settings have this text, and somebody answers. */
async function added(settings: string, answers: readonly Answer[]) {
  const { cwd } = workplace({ '.env': settings });
  const env = { FATHOM_ENV_FILE: join(cwd, '.env') };
  const { prompts, left } = answering(answers);
  const parts: string[] = [];
  const stderr = { write: (text: string) => parts.push(text) } as never;
  const file = join(cwd, 'rules.yaml');
  const args = { values: { file }, operands: ['event-guests'] };
  const code = await runRulesAdd(args, { env, stdout: stderr, stderr }, prompts);
  expect({ code, left }).toEqual({ code: 0, left: [] });
  return { said: parts.join(''), settings: readFileSync(join(cwd, '.env'), 'utf8') };
}

const QUESTIONS: readonly Answer[] = [
  ['Name of the imported event', ''],
  ['Points for each event attended', ''],
  ['Add this to ', 'yes'],
];

describe('fathom rules add, while RULES names no file', () => {
  it('offers to set it in .env, and leaves everything else there as it is', async () => {
    const settings = '# Mine.\nDATABASE_URL=sqlite:./f.db';
    const { said, ...after } = await added(settings, [
      ...QUESTIONS,
      ['Put RULES=./rules.yaml', 'yes'],
    ]);
    expect(after.settings).toBe(`${settings}\nRULES=./rules.yaml\n`);
    expect(said).toContain('.env names it now. Restart Fathom.');
  });

  it('says what to write where that is declined', async () => {
    const { said, settings } = await added('A=1\n', [
      ...QUESTIONS,
      ['Put RULES=./rules.yaml', 'no'],
    ]);
    expect(settings).toBe('A=1\n');
    expect(said).toContain("It doesn't count yet: put RULES=./rules.yaml into ");
  });

  it('says so where nobody can be asked, and nothing where a file is named', async () => {
    const place = workplace();
    const env = { FATHOM_ENV_FILE: join(place.cwd, '.env') };
    const add = (more: Record<string, string>, id: string) =>
      place.runHere(['rules', 'add', 'event-guests', '--id', id], { ...env, ...more });
    expect((await add({}, 'one')).stderr).toContain('put RULES=./rules.yaml into ');
    const { stderr } = await add({ RULES: 'rules.yaml' }, 'two');
    expect(stderr).not.toContain('put RULES');
    expect(stderr).toContain('npm run fathom -- rules check rules.yaml');
  });

  it('says that a folder is no rules file', async () => {
    const place = workplace();
    const done = await place.runHere(['rules', 'add', 'event-guests', '--file', '.']);
    expect(done).toMatchObject({
      code: 2,
      stderr: "--file: . isn't a file. Name the rules file.\n",
    });
  });

  it.each([
    ['snapshot --space reef.eth', 'Put SNAPSHOT_HUB_URL=https://hub.snapshot.org into .env.'],
    [
      'asa-holder --asset 1 --since 1 --decimals 6',
      'ALGORAND_INDEXER_URL to the URL of an indexer',
    ],
    ['solana-program --program MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr --since 1', 'of a node'],
  ])('after %s, says what its source needs: %s', async (words, said) => {
    const place = workplace();
    const done = await place.runHere(['rules', 'add', ...words.split(' ')]);
    expect(done).toMatchObject({ code: 0, stderr: expect.stringContaining(said) });
  });
});
