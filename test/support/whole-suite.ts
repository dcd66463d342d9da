import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/**
 * The tests of a suite: the sample in the tree, or all of them if `VECTORS` names the folder of its files; see
 * CONTRIBUTING.md.
 * @param file in that folder
 */
export function suiteOf<Test>(sample: readonly Test[], file: string): readonly Test[] {
  const folder = process.env.VECTORS;
  if (folder === undefined) return sample;
  const bytes = readFileSync(join(folder, file));
  const text = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return JSON.parse(text.toString()) as readonly Test[];
}
