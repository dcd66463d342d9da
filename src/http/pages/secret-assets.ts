const NAMES = ['secrets.js', 'key-pairs.js', 'key-pair-forms.js', 'bytes.js', 'faults.js'];

/** The scripts by which a page recognises secrets itself, by their paths below its own. */
export function secretAssets(path: string): Map<string, string | URL> {
  const words = new URL('../../linking/challenge/seed-words.ts', import.meta.url);
  return new Map<string, string | URL>(
    NAMES.map((name) => [`${path}/${name}`, `link/${name}`]),
  ).set(`${path}/seed-words.js`, words);
}
