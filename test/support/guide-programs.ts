import { spawnSync } from 'node:child_process';
import type { TestApi } from './api.ts';

/** Where the guides are. */
export const GUIDES = '/docs/guides';

/** How to run a program, by its language. */
export const LANGUAGES: Record<string, { file: string; command: string[] }> = {
  JavaScript: { file: 'guide.mjs', command: [process.execPath] },
  Python: { file: 'guide.py', command: ['python3'] },
  Go: { file: 'guide.go', command: ['go', 'run'] },
};

/** Whether this machine can run programs of a language. */
export function isThere(name: string): boolean {
  return name !== 'Go'
    ? spawnSync(LANGUAGES[name]?.command[0] ?? '', ['--version']).status === 0
    : spawnSync('go', ['version']).status === 0;
}

/** The programs of the guides' page as a reader would copy them, by guide and language. */
export async function programsOf(api: TestApi): Promise<Map<string, string>> {
  const programs = new Map<string, string>();
  const page = await (await api.get(GUIDES)).text();
  for (const [, id = '', section = ''] of page.matchAll(/<section id="(\w+)"(.*?)<\/section>/gs)) {
    for (const [, name = '', code = ''] of section.matchAll(
      /data-name="(\w+), [^"]*"><pre[^>]*><code>([^<]*)</g,
    )) {
      programs.set(`${id} ${name}`, decode(code));
    }
  }
  return programs;
}

function decode(text: string): string {
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => ENTITIES[name] ?? '');
}
const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
