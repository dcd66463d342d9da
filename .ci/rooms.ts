/**
 * Checks which file imports which, as docs/architecture.md has it: rooms import only rooms below them, and only
 * through a door, that is an index.ts which package.json names; what is pure knows no package, no `node:` module,
 * no clock and no part that does. Each door opens with a comment that says in sentences what is behind it. Names what doesn't
 * fit, and ends with 1 if there's anything.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');

/** Rooms of chat platforms: each declares one. Only the wiring knows which there are. */
const PLATFORMS = globSync('src/platforms/*/index.ts', { cwd: root })
  .filter((door) => readFileSync(path.join(root, door), 'utf8').includes(': Platform = '))
  .map((door) => path.dirname(door).replace('src/', ''))
  .sort();

/** From the top down. */
const ROOMS = [
  'cli',
  'app',
  'http',
  'storage',
  ...PLATFORMS,
  'platforms',
  'commands',
  'webhooks',
  'upstream',
  'pictures',
  'names',
  'gating',
  'linking',
  'sources',
  'scoring',
  'import',
  'command',
  'cluster',
  'reputation',
  'wallet',
  'base',
];

/** Rooms and parts that are pure: what they need of the world is given to them. */
const PURE = [
  'base/',
  'command/',
  'commands/',
  'gating/',
  'import/',
  'linking/',
  'pictures/shown/',
  'pictures/style/',
  'platforms/role-connections/',
  'reputation/',
  'scoring/',
  'wallet/',
  'webhooks/',
];

/** Parts with a runtime, which nothing pure may know. */
const RUNTIME = [
  'base/json-http/',
  'base/process/',
  'base/waiting/',
  'cluster/redis/',
  'gating/rehearsal/',
  'linking/proofs/',
  'names/services/',
  'scoring/rules-file/',
  'sources/',
  'wallet/chains/',
  'webhooks/delivery/',
];

/** Files that use Node's own modules, in parts that are pure otherwise. */
const EXCEPTIONS = ['wallet/keccak.ts'];

/** What base has that tells the time by itself; what is pure is given it. */
const CLOCKS =
  /^import \{[^}]*\b(wallMs|wallSeconds|monotonicMs)\b[^}]*\} from '#base(?:\/\w+)*';/m;

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s+(?:type\s+)?(?:[^'";]*?\bfrom\s+)?'([^'\n]+)'|\bimport\(\s*'([^'\n]+)'\s*\)/g;

/** A comment at the very top, from a capital to a full stop. */
const SENTENCE = /^\/\*\*[\s*]+\p{Lu}(?:(?!\*\/)[\s\S])*\.\s*\*\//u;

const aliases: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
).imports;

/** Where a file is below `src/`, whose rooms and the commands stand side by side. */
const placeOf = (file: string) => file.replace(/^src\//, '');
const roomOf = (place: string) => ROOMS.find((room) => place.startsWith(`${room}/`));

const isIn = (place: string, parts: readonly string[]) =>
  parts.some((part) => place.startsWith(part));
const isPure = (place: string) =>
  isIn(place, PURE) && !isIn(place, RUNTIME) && !EXCEPTIONS.includes(place);

/** Base has the clocks, which it asks itself. */
const hasNoClock = (place: string) => isPure(place) && !place.startsWith('base/');

/** The file that an import leads to; undefined for packages and Node's own modules. */
function targetOf(file: string, name: string): string | undefined {
  if (name.startsWith('.')) return path.posix.join(path.posix.dirname(file), name);
  if (!name.startsWith('#')) return undefined;
  const exact = aliases[name];
  const [room = '', ...rest] = name.split('/');
  return (exact ?? aliases[`${room}/*`]?.replace('*', rest.join('/')))?.replace(/^\.\//, '');
}

/** Why a file may not import that, or undefined if it may. */
function refusal(file: string, name: string): string | undefined {
  const place = placeOf(file);
  const room = roomOf(place);
  const target = targetOf(file, name);
  if (target === undefined) {
    return isPure(place) ? 'a pure part knows no packages and no node: modules' : undefined;
  }
  if (!existsSync(path.join(root, target))) return 'there is no such file';
  const to = placeOf(target);
  const below = roomOf(to);
  if (room === undefined || below === undefined) return 'it lies in no room';
  if (room === below) {
    if (aliases[name] !== undefined) return 'a room enters itself by its files, not by its door';
  } else {
    if (ROOMS.indexOf(below) < ROOMS.indexOf(room)) return `${below} is above ${room}`;
    if (PLATFORMS.includes(below) && room !== 'app')
      return 'only the wiring knows which platforms there are';
    if (aliases[name] === undefined) return `enter ${below} by one of its doors`;
  }
  if (isPure(place) && isIn(to, RUNTIME)) return 'a pure part knows nothing that has a runtime';
  return undefined;
}

/** The rooms that the page names, in the order of its table. */
function roomsOfPage(): string[] {
  const page = readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');
  const cells = [...page.matchAll(/^\| (`[^|]+`)[^|]*\|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w/]+)\/`/g)].map(([, room = '']) => room));
}

let faults = 0;
for (const file of globSync('{src,commands}/**/*.ts', { cwd: root }).sort()) {
  const text = readFileSync(path.join(root, file), 'utf8');
  for (const match of text.matchAll(IMPORT)) {
    const name = match[1] ?? match[2] ?? '';
    const why = refusal(file, name);
    if (why === undefined) continue;
    const line = text.slice(0, match.index + match[0].indexOf(name)).split('\n').length;
    process.stderr.write(`${file}:${line}: ${name}: ${why}.\n`);
    faults += 1;
  }
  const [, clock] = (hasNoClock(placeOf(file)) && CLOCKS.exec(text)) || [];
  if (clock === undefined) continue;
  process.stderr.write(`${file}:1: ${clock}: a pure part is given the time.\n`);
  faults += 1;
}
for (const door of new Set(Object.values(aliases))) {
  if (!door.endsWith('/index.ts') || SENTENCE.test(readFileSync(path.join(root, door), 'utf8'))) {
    continue;
  }
  process.stderr.write(`${door}:1: begin with a comment that says what is behind this door.\n`);
  faults += 1;
}
if (String(roomsOfPage()) !== String(ROOMS)) {
  process.stderr.write(`docs/architecture.md: its table has other rooms: ${ROOMS.join(', ')}.\n`);
  faults += 1;
}
if (faults > 0) {
  process.stderr.write(`${faults} faults; docs/architecture.md has the rooms in their order.\n`);
  process.exitCode = 1;
}
