import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** Twins: something implemented or declared once per folder, so the shared name is intended. */
const TWIN_FOLDERS = [
  // Both drivers of the stores.
  ['src/storage/sqlite/', 'src/storage/postgres/'],
  // Both platforms.
  ['src/platforms/discord/', 'src/platforms/telegram/'],
  // A body of `/v1`: the record, and the schema that documents and writes it.
  [
    'src/reputation/api-records.ts',
    'src/http/api/schemas.ts',
    'src/http/api/resources/explanations.ts',
  ],
  // Texts of the chats and of the pages, in each language.
  ['src/command/texts/', 'src/http/pages/words/'],
];

it('Every exported name is declared in one place', () => {
  const doubles = [...declarations()]
    .filter(([, files]) => files.length > 1 && !areTwins(files))
    .map(([name, files]) => `${name}: ${files.join(', ')}`);
  expect(doubles, 'rename one of each: one name, one meaning').toEqual([]);
});

it('The check of names finds what src and commands export', () => {
  const found = declarations();
  expect(found.get('Reputation')).toEqual([
    'src/http/api/schemas.ts',
    'src/reputation/api-records.ts',
  ]);
  expect(found.size).toBeGreaterThan(1000);
});

/** Files by the names that they declare and export. Biome puts every export at the start of a line. */
function declarations(): Map<string, string[]> {
  const pattern =
    /^export (?:default )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|interface|type|enum) +([A-Za-z_$][\w$]*)/gm;
  const found = new Map<string, string[]>();
  for (const file of globSync('{src,commands}/**/*.ts').sort()) {
    const names = readFileSync(file, 'utf8').matchAll(pattern);
    // Overloads declare a name several times in one file.
    for (const name of new Set(names.map(([, each = '']) => each))) {
      found.set(name, [...(found.get(name) ?? []), file]);
    }
  }
  return found;
}

/** Whether each file is in another folder of one group. */
function areTwins(files: readonly string[]): boolean {
  return TWIN_FOLDERS.some((folders) => {
    const homes = files.map((file) => folders.find((folder) => file.startsWith(folder)));
    return !homes.includes(undefined) && new Set(homes).size === files.length;
  });
}
