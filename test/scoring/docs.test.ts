import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rulesFile } from '#scoring/grammar/file';
import { faultsOf } from '../support/rules.ts';
import { rulesReference } from '../support/rules-reference.ts';

const TEXT = readFileSync(new URL('../../docs/scoring.md', import.meta.url), 'utf8');
const FILES = [...TEXT.matchAll(/```yaml\n(fathom: 1\n[\s\S]*?)```/g)].map(([, text = '']) => text);

it('The docs have a file for each kind of source that can be copied as it is', () => {
  const kinds = FILES.flatMap((text) =>
    [...text.matchAll(/chain: "?(\w+)/g)].map(([, kind]) => kind),
  );
  expect(new Set(kinds)).toEqual(new Set(['eip155', 'solana', 'algorand', 'snapshot']));
  for (const text of FILES) expect(faultsOf(text), text).toEqual([]);
});

it('The docs list every field of a rules file', () => {
  const [, reference = ''] = TEXT.split('\n## Every field\n\n');
  expect(reference.slice(reference.indexOf('| field |'))).toBe(rulesReference(rulesFile));
});
