import childProcess from 'node:child_process';
import { registerHooks, syncBuiltinESMExports } from 'node:module';

// As it is, where an import would get what takes its place.
const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
const IN_MEMORY = new URL('./sqlite-in-memory.ts', import.meta.url).href;
const refusals: string[] = [];

function refuse(what: string, names: string): never {
  const text = `${what}: name the file ${names}, see CONTRIBUTING.md`;
  refusals.push(text);
  throw new Error(text);
}

const refuseProcess = (command: unknown): never =>
  refuse(`this starts ${command}`, '.db.test.ts, .service.test.ts or .browser.test.ts');

/** From now on whatever would start another process throws. */
export function refuseProcesses(): void {
  // All other ways to start one come to these.
  Object.assign(childProcess.ChildProcess.prototype, {
    spawn: ({ file }: { readonly file: string }) => refuseProcess(file),
  });
  for (const name of ['spawnSync', 'execFileSync', 'execSync']) {
    Object.assign(childProcess, { [name]: refuseProcess });
  }
  syncBuiltinESMExports();
}

let areFilesRefused = false;

/** Whoever imports SQLite from now on opens databases in memory only. */
export function refuseDatabaseFiles(): void {
  if (areFilesRefused) return;
  areFilesRefused = true;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'node:sqlite' && context.parentURL !== IN_MEMORY
        ? { url: IN_MEMORY, format: 'module-typescript', shortCircuit: true }
        : next(specifier, context),
  });
}

/** Takes the place of SQLite's: a file of a database has locks, and other processes may open it. */
export class DatabaseInMemory extends DatabaseSync {
  constructor(...args: ConstructorParameters<typeof DatabaseSync>) {
    if (args[0] !== ':memory:') refuse(`this opens the database ${args[0]}`, '.db.test.ts');
    super(...args);
  }
}

/** What was refused since the last call. */
export function takeRefusals(): string[] {
  return refusals.splice(0);
}
