import { readFileSync } from 'node:fs';

/** What changed in one version. */
export interface ChangelogVersion {
  readonly name: string;
  readonly groups: readonly ChangelogGroup[];
}

interface ChangelogGroup {
  readonly name: string;
  /** Sentences in which `backticks` mark code. */
  readonly changes: string[];
}

/** The page shows this many versions. */
const VERSIONS_MAX = 5;

/** @returns the newest versions in CHANGELOG.md; none if an installation doesn't have the file */
export function readChangelog(): readonly ChangelogVersion[] {
  try {
    const file = new URL('../../../../CHANGELOG.md', import.meta.url);
    return parseChangelog(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the form of https://keepachangelog.com: `##` versions, `###` groups, `-` changes. */
export function parseChangelog(text: string): readonly ChangelogVersion[] {
  const versions: { name: string; groups: ChangelogGroup[] }[] = [];
  for (const line of text.split('\n')) {
    const [, marker, content = ''] = /^(## |### |- | {2,})(.+)$/.exec(line) ?? [];
    const groups = versions.at(-1)?.groups;
    const changes = groups?.at(-1)?.changes;
    if (marker === '## ') versions.push({ name: plain(content), groups: [] });
    else if (marker === '### ') groups?.push({ name: plain(content), changes: [] });
    else if (marker === '- ') changes?.push(plain(content));
    else if (marker !== undefined) continueLast(changes, plain(content));
  }
  return versions.slice(0, VERSIONS_MAX);
}

function continueLast(changes: string[] | undefined, text: string): void {
  const last = changes?.pop();
  if (last !== undefined) changes?.push(`${last} ${text}`);
}

/** Links and emphasis become their text. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]+)\](?:\([^)]*\))?/g, '$1')
    .replaceAll('**', '')
    .trim();
}
