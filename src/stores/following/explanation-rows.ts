import type { MaybePromise } from '#core/maybe-promise';
import type { Row } from '#stores/sql/script';
import type { ListEnd } from './lists.ts';

/** What the database knows of where scores come from; see `explanation-sql.ts`. @throws RetryableError */
export interface ExplanationRows {
  /** Of what the edition gave a wallet now, whatever `change` says. */
  rules(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** Points by day. */
  days(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** Up to where the sources are in the edition now. */
  sources(end: ListEnd): MaybePromise<readonly Row[]>;
}
