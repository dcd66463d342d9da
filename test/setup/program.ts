import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { OWN_PROGRAMS } from '../support/program.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Within the project, so that its packages are found. */
const CACHE = join(ROOT, '.cache');
/** Packages that look for files beside them: binaries, or what their threads start with. */
const APART = /^(sharp|@resvg\/resvg-js|pino|pino-pretty|@discordjs\/ws)(\/|$)/;
const KEPT_MS = 86_400_000;
const ENTRY = 'src/cli/main.ts';
/** What a thread or process starts with, as the sources name it. */
const STARTED = /new URL\('(\.\/[a-z-]+)\.ts', import\.meta\.url\)/g;

/**
 * Joins the sources of the program and nearly all of its packages into few files: tests start it many hundred times,
 * and to find each of its files takes Node half of a start. The same sources are joined once.
 * @returns the file to start
 */
export async function joinedProgram(): Promise<string> {
  const folder = join(CACHE, `program-${digestOfSources()}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    removeOld();
    const unfinished = mkdtempSync(join(CACHE, 'unfinished-'));
    await joinInto(unfinished, folder);
    rename(unfinished, folder);
  }
  return join(folder, outputOf(ENTRY));
}

/** Of all that decides how the result looks. */
function digestOfSources(): string {
  const hash = createHash('sha256').update(ROOT);
  const files = globSync('{src,commands,test/support}/**/*.ts', { cwd: ROOT }).sort();
  for (const file of [...files, 'package-lock.json', relative(ROOT, import.meta.filename)]) {
    hash.update(`\0${file}\0`).update(readFileSync(join(ROOT, file)));
  }
  return hash.digest('hex').slice(0, 16);
}

/** @param folder where it will be in the end */
async function joinInto(unfinished: string, folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(
      [ENTRY, ...Object.values(OWN_PROGRAMS)].map((file) => [outputOf(file), file]),
    ),
    platform: 'node',
    external: APART,
    plugins: [filesAreWhereTheyWere(folder), httpWithoutWebSocket()],
    logLevel: 'silent',
  });
  await bundle.write({
    dir: unfinished,
    entryFileNames: '[name]',
    chunkFileNames: 'chunks/[name]-[hash].mjs',
    // Errors tell their kind by the names of classes.
    keepNames: true,
    // Half as much to read, at each start.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await bundle.close();
  for (const file of globSync('**/*.mjs', { cwd: unfinished })) {
    const path = join(unfinished, file);
    writeFileSync(path, inAscii(readFileSync(path, 'utf8')));
  }
}

/** Node reads other text at a third of the pace, and keeps it in twice the memory. */
const inAscii = (code: string) =>
  code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/**
 * An import of node:http reads all that it exports, among that WebSocket, for which Node loads an undici of its own: a
 * twentieth of a start, in each thread anew.
 */
function httpWithoutWebSocket(): Plugin {
  const id = '\0http';
  return {
    name: 'http-without-web-socket',
    resolveId: (source, _, { kind }) =>
      source === 'node:http' && kind === 'import-statement' ? id : undefined,
    load: (path) =>
      path === id
        ? `export const { Agent, createServer, request, STATUS_CODES } = process.getBuiltinModule('node:http');`
        : undefined,
  };
}

/** The modules find the files beside their sources, but for what they start: that is joined too. */
function filesAreWhereTheyWere(folder: string): Plugin {
  return {
    name: 'files-are-where-they-were',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return undefined;
      return code
        .replace(STARTED, (_, path: string) => {
          const file = join(dirname(id), `${path}.ts`);
          this.emitFile({ type: 'chunk', id: file, fileName: outputOf(relative(ROOT, file)) });
          return `new URL('${pathToFileURL(join(folder, outputOf(relative(ROOT, file))))}')`;
        })
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href));
    },
  };
}

/** Not `.js`: for those, Node looks for a package.json in each folder above. */
const outputOf = (file: string) => file.replace(/\.ts$/, '.mjs');

/** Another run may have been faster. */
function rename(unfinished: string, folder: string): void {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** Of earlier sources; runs that have begun lately may still start theirs. */
function removeOld(): void {
  for (const name of readdirSync(CACHE)) {
    const folder = join(CACHE, name);
    if (!/^(program|unfinished)-/.test(name)) continue;
    if (Date.now() - statSync(folder).mtimeMs > KEPT_MS) rmSync(folder, { recursive: true });
  }
}
