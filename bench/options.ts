import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

/** The sizes that the targets are stated for. */
export const WALLETS = 1_000_000;

export const USAGE = `node bench/run.ts [--only NAME[,NAME] [--write]] [--quick] [--wallets N] [--dir DIR] [--keep]
  --only NAME   only these benchmarks
  --write       put their rows into RESULTS.md, dated, in the place of those from before
  --quick       small and short, to try the benchmarks themselves; RESULTS.md is left alone
  --wallets N   wallets of the main data set (default 1,000,000; ten lines each, and ten times
                as many wallets in the big set)
  --dir DIR     where data goes, about 10 GB (default: the system's temporary directory)
  --keep        leave the data there and use what an earlier run left`;

export interface Options {
  readonly only: readonly string[] | undefined;
  readonly write: boolean;
  readonly quick: boolean;
  readonly wallets: number;
  readonly dir: string;
  readonly keep: boolean;
}

/** @throws if the arguments are invalid, with a message for people */
export function readOptions(args: string[]): Options | undefined {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      write: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      wallets: { type: 'string' },
      dir: { type: 'string' },
      keep: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const wallets = Number(values.wallets ?? (values.quick ? 20_000 : WALLETS));
  if (!Number.isInteger(wallets) || wallets < 1000 || wallets > 2_000_000) {
    throw new Error('--wallets takes a whole number from 1,000 to 2,000,000');
  }
  if (values.write && (values.only === undefined || values.quick || wallets !== WALLETS)) {
    throw new Error('--write takes --only and the usual size; a full run writes RESULTS.md anyway');
  }
  const base = resolve(values.dir ?? tmpdir());
  const { write, quick, keep } = values;
  const only = values.only?.split(',');
  return { only, write, quick, wallets, dir: workDir(base, keep), keep };
}

/** Always a directory of our own, so that removing it removes nothing else. */
function workDir(base: string, keep: boolean): string {
  if (!keep) return mkdtempSync(join(base, 'fathom-bench-'));
  const dir = join(base, 'fathom-bench');
  mkdirSync(dir, { recursive: true });
  return dir;
}
