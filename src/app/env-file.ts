import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, populate } from 'dotenv';
import { UserError } from '#base';
import { trustExtraAuthorities } from '#base/process';
import { variablesOf } from './config.ts';

const NAME = '.env';
/**
 * Names another file, for a second instance of the installation. Only read from the environment.
 */
const ENV_FILE = 'FATHOM_ENV_FILE';
/** npm sets this one to the path of its Node, but a rules file may name a variable like that, too. */
const NPM_NODE = 'NODE';
/** Node reads it at its own start, before this file. */
const EXTRA_AUTHORITIES = 'NODE_EXTRA_CA_CERTS';

export interface Folders {
  /** The folder of `.env.example`. */
  readonly project: string;
  readonly working: string;
}

type Values = Readonly<Record<string, string>>;

/**
 * Adds the settings in `.env` to the environment, which takes precedence. It's the file beside
 * `.env.example`, whatever the working directory: service managers start the program elsewhere, and
 * demo data would silently replace the configured data.
 * @throws UserError `wrong-configuration` if it can't be read, or if another `.env` in the working
 *   directory differs
 */
export function loadEnvFile(env: NodeJS.ProcessEnv, folders: Folders = foldersHere()): void {
  const named = env[ENV_FILE]?.trim();
  const file = envFilePath(env, folders);
  // Nobody's setting, which would take precedence over that of the file under npm alone.
  if (env[NPM_NODE] === env.npm_node_execpath) delete env[NPM_NODE];
  const bytes = read(file);
  const values = bytes && parse(bytes);
  if (values === undefined && named) throw fault(`${ENV_FILE}: there is no file ${file}.`);
  if (!named) requireNoOther(env, values ?? {}, { ours: file, other: join(folders.working, NAME) });
  if (bytes === undefined || values === undefined) return;
  requireAllRead(file, bytes, values);
  const isNew = !env[EXTRA_AUTHORITIES];
  populate(env as Record<string, string>, anchored(values, dirname(file)));
  const authorities = isNew && env[EXTRA_AUTHORITIES];
  if (authorities && !trustExtraAuthorities(authorities)) {
    throw fault(
      `${EXTRA_AUTHORITIES}: no certificate can be read from ${authorities}. It must be a file in PEM.`,
    );
  }
}

/** The file that settings are read from, whether or not it's there. */
export function envFilePath(env: NodeJS.ProcessEnv, folders: Folders = foldersHere()): string {
  const named = env[ENV_FILE]?.trim();
  return named ? resolve(folders.working, named) : join(folders.project, NAME);
}

function foldersHere(): Folders {
  return { project: fileURLToPath(new URL('../..', import.meta.url)), working: process.cwd() };
}

/** @returns undefined if there is none */
function read(file: string): Buffer | undefined {
  try {
    if (statSync(file).isDirectory()) {
      throw fault(
        `${file} is a folder, but settings are read from a file of that name. Rename the folder.`,
      );
    }
    return readFileSync(file);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    throw fault(`This user can't read ${file}. Make it readable, for example with chown.`);
  }
}

/** What stands before a name in other files: of a shell, Docker, Compose, systemd or JSON. */
const BEFORE = String.raw`(?:(?:export|set|setenv|ENV|-e|--env|-)[ \t]+|\$env:|Environment=["']?|["'])?`;
const NAMES = new RegExp(String.raw`(?<=^[\ufeff \t]*${BEFORE})\b(\w+)\b[ \t]*(?=([^\s#]))`, 'gm');

/** A line without "=", as other files have it, or below a quote that isn't closed, would be ignored silently. */
function requireAllRead(file: string, bytes: Buffer, values: Values): void {
  if (bytes.includes(0)) {
    throw fault(`${file} isn't text in UTF-8, perhaps in UTF-16. Save it as UTF-8.`);
  }
  const text = bytes.toString();
  // A name alone takes the value of the environment, as Docker reads it.
  const lines = text.matchAll(NAMES);
  const known = new Set(variablesOf());
  for (const { index, 1: name = '', 2: next = '' } of lines) {
    if (!known.has(name)) continue;
    const reading = readingOf(text, index, name);
    const isSetting = reading === 'setting' || (reading === 'quoted' && /[=:]/.test(next));
    const isFine = isSetting ? name in values : reading === 'quoted';
    if (isFine) continue;
    const number = text.slice(0, index).split('\n').length;
    throw fault(
      `${name}: line ${number} of ${file} can't be read as a setting. Write ${name}=VALUE, and close all quotes above.`,
    );
  }
}

const PROBE = 'FATHOM_LINE_PROBE';

/** What becomes of a line, seen by giving it a name that no other has: another one may set the same. */
function readingOf(text: string, index: number, name: string): 'setting' | 'quoted' | 'ignored' {
  const read = parse(`${text.slice(0, index)}${PROBE}${text.slice(index + name.length)}`);
  if (Object.keys(read).some((each) => each.includes(PROBE))) return 'setting';
  return Object.values(read).some((each) => each.includes(PROBE)) ? 'quoted' : 'ignored';
}

/** An operator who wrote settings there expects them to apply, so don't ignore them silently. */
function requireNoOther(
  env: NodeJS.ProcessEnv,
  values: Values,
  { ours, other }: { ours: string; other: string },
): void {
  // A folder of that name is something else, such as a Python environment.
  if (other === ours || statSync(other, { throwIfNoEntry: false })?.isDirectory() !== false) return;
  const others = parse(read(other) ?? '');
  const differing = variablesOf().filter(
    (name) => others[name] !== undefined && others[name] !== values[name] && !env[name],
  );
  if (differing.length === 0) return;
  throw fault(
    `${other} sets ${differing.join(', ')}, but settings are read from ${ours}. Move them there, start from another folder, or name the file to read in ${ENV_FILE}.`,
  );
}

/** Relative paths are relative to the file's folder, not the working directory. */
function anchored(values: Values, folder: string): Record<string, string> {
  const path = /^\s*sqlite:(?!:memory:)(.+?)\s*$/.exec(values.DATABASE_URL ?? '')?.[1];
  const rules = values.RULES?.trim();
  const authorities = values[EXTRA_AUTHORITIES]?.trim();
  return {
    ...values,
    ...(path !== undefined && { DATABASE_URL: `sqlite:${resolve(folder, path)}` }),
    ...(rules && { RULES: resolve(folder, rules) }),
    ...(authorities && { [EXTRA_AUTHORITIES]: resolve(folder, authorities) }),
  };
}

function fault(sentence: string): UserError {
  return new UserError('wrong-configuration', sentence);
}
