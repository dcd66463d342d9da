import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseChangelog } from '#http/api/docs/guide';
import { testApi } from '../../support/api.ts';

const root = new URL('../../../', import.meta.url);

it('The changelog is parsed into versions, groups and multi-line changes', () => {
  const text = `# Changelog\n\nWords.\n\n## [1.1] - 2026-01-02\n\n### Added\n- One \`a\`\n  and [more](https://x.example).\n- **Two**\n\n## 1.0\n### Fixed\n- Three\n`;
  expect(parseChangelog(text)).toEqual([
    {
      name: '1.1 - 2026-01-02',
      groups: [{ name: 'Added', changes: ['One `a` and more.', 'Two'] }],
    },
    { name: '1.0', groups: [{ name: 'Fixed', changes: ['Three'] }] },
  ]);
  expect(parseChangelog('## x\n'.repeat(50))).toHaveLength(5);
  expect(parseChangelog('- lost\n  lines\n### and groups\n')).toEqual([]);
});

it('The docs show our changelog, and link to it', async () => {
  const [newest] = parseChangelog(readFileSync(new URL('CHANGELOG.md', root), 'utf8'));
  expect(newest?.groups.length).toBeGreaterThan(0);
  const api = await testApi();
  const page = await (await api.get('/docs')).text();
  expect(page).toContain('href="#changelog"');
  expect(page).toContain(`open><summary>${newest?.name}</summary>`);
});

it('The image holds the changelog', () => {
  expect(readFileSync(new URL('.dockerignore', root), 'utf8')).toMatch(/^!CHANGELOG\.md$/m);
});
