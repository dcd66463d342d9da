import { readdirSync } from 'node:fs';

const NAMES = ['secrets.js', 'key-pairs.js', 'key-pair-forms.js', 'bytes.js', 'faults.js'];
const WORDS = new URL('../../linking/challenge/seed-words/', import.meta.url);

/** The scripts by which a page recognises secrets itself, by their paths below its own. */
export function secretAssets(path: string): Map<string, string | URL> {
  return new Map<string, string | URL>([
    ...NAMES.map((name) => [`${path}/${name}`, `link/${name}`] as const),
    ...readdirSync(WORDS).map(
      (name) => [`${path}/seed-words/${name.replace('.ts', '.js')}`, new URL(name, WORDS)] as const,
    ),
  ]);
}
