import type { MaybePromise } from '#core/maybe-promise';
import type { Row } from '#stores/sql/script';
import type { ListEnd } from './lists.ts';

/**
 * What the database knows about where scores come from; see `explanation-sql.ts`. @throws
 * RetryableError
 */
export interface ExplanationRows {
  /** What the edition grants a wallet now, whatever `change` says. */
  rules(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** Points per day. */
  days(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** How far the sources have been read in the current edition. */
  sources(end: ListEnd): MaybePromise<readonly Row[]>;
}
