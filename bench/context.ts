import { join } from 'node:path';
import type { Shape } from './data.ts';
import type { Row } from './report.ts';

/** What a benchmark gets. */
export interface Context {
  /** Where its files go. */
  readonly dir: string;
  /** Small and short, for trying out the benchmarks themselves. */
  readonly quick: boolean;
  /** Many lines per wallet. */
  readonly main: Shape;
  /** Ten times the wallets of `main` (in a quick run, all lines), with one line each. */
  readonly big: Shape;
  /** At least a hundredth of the wallets of `main`, with one line each. */
  readonly small: Shape;
}

export interface Bench {
  readonly name: string;
  /** A few words for the list. */
  readonly about: string;
  run(context: Context): Promise<Row[]>;
}

export const scratch = (context: Context, name: string) => join(context.dir, name);
