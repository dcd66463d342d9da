import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { addressOf, canonicalOf } from './addresses.ts';
import { importText, type Shape } from './data.ts';
import { hash32 } from './hash.ts';
import { importData } from './importer.ts';
import { within } from './process.ts';
import { say, tell } from './progress.ts';
import { type Expected, expect } from './tally.ts';

/** Data sets on disk, each generated on first use and named by its shape. */

export interface DataSet {
  readonly shape: Shape;
  /** The SQLite file. */
  readonly file: string;
  /** A file with random addresses of the set, one per line. */
  readonly sample: string;
  readonly expected: Expected;
}

const SAMPLE = 100_000;

export function pathOf(dir: string, shape: Shape, ending: string): string {
  return join(dir, `${shape.wallets}-wallets-${shape.lines}-lines-${shape.series}.${ending}`);
}

/** The import file of a shape. */
export async function textFile(dir: string, shape: Shape): Promise<string> {
  const path = pathOf(dir, shape, 'ndjson');
  if (existsSync(path)) return path;
  say(`writing ${shape.lines.toLocaleString('en')} import lines`);
  const stream = createWriteStream(`${path}.part`);
  await writeLines(shape, stream, 'lines written');
  stream.end();
  await within(finished(stream), 600, 'writing lines');
  await rename(`${path}.part`, path);
  return path;
}

async function writeLines(shape: Shape, stream: Writable, what: string): Promise<void> {
  let done = 0;
  for (const { text, lines } of importText(shape)) {
    done += lines;
    if (!stream.write(text)) await within(once(stream, 'drain'), 300, what);
    tell(what, done, shape.lines);
  }
}

/** The set with its SQLite file, filled by the real import without a text file in between. */
export async function dataSet(dir: string, shape: Shape): Promise<DataSet> {
  const file = pathOf(dir, shape, 'db');
  if (!existsSync(pathOf(dir, shape, 'json'))) {
    removeFile(file);
    say(`importing ${shape.wallets.toLocaleString('en')} wallets`);
    await importData('-', `sqlite:${file}`, dir, async (child) => {
      const input = child.process.stdin;
      if (input === null) throw new Error('the import has no standard input');
      await writeLines(shape, input, 'lines imported');
      input.end();
    });
    await describe(dir, shape);
  }
  await warm(file);
  const expected: Expected = JSON.parse(readFileSync(pathOf(dir, shape, 'json'), 'utf8'));
  return { shape, file, sample: pathOf(dir, shape, 'txt'), expected };
}

/** Writes what a set's file contains; its presence means that the set is complete. */
export async function describe(dir: string, shape: Shape): Promise<void> {
  say('computing what the answers must be');
  const lines: string[] = [];
  for (let i = 0; i < Math.min(SAMPLE, shape.wallets); i += 1) {
    const wallet = hash32(773, i) % shape.wallets;
    // Half of the Ethereum addresses as tools export them, half as wallets show them.
    lines.push(i % 2 === 0 ? addressOf(wallet) : canonicalOf(wallet));
  }
  await writeFile(pathOf(dir, shape, 'txt'), `${lines.join('\n')}\n`);
  await writeFile(pathOf(dir, shape, 'json.part'), JSON.stringify(expect(shape)));
  await rename(pathOf(dir, shape, 'json.part'), pathOf(dir, shape, 'json'));
}

/** Reads a file once, so that it's in the page cache whether it was generated today or earlier. */
export async function warm(file: string): Promise<void> {
  const stream = createReadStream(file, { highWaterMark: 1 << 20 });
  stream.resume();
  await within(finished(stream), 300, `reading ${file}`);
}

/** Removes a SQLite file with its companions. */
export function removeFile(file: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true });
}

/** The addresses of a set's sample. */
export function readSample(set: DataSet): string[] {
  return readFileSync(set.sample, 'utf8').trimEnd().split('\n');
}
