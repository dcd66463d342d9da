import type { MaybePromise } from '#base';
import type { ActivityKey, EventPlace } from '#storage/scoring/chain-events';
import type { Row } from '#storage/sql/script';
import type { ListEnd } from './lists.ts';

/** Queries about the events that activities were given for. @throws RetryableError */
export interface ChainEventRows {
  /** `id` and `origin` of those that the edition gave a wallet. */
  origins(
    wallet: number,
    activities: readonly ActivityKey[],
    end: ListEnd,
  ): MaybePromise<readonly Row[]>;
  /** A wallet's evidence at some positions, as `chainEventsOf` takes it. */
  evidence(
    wallet: number,
    places: readonly EventPlace[],
    end: ListEnd,
  ): MaybePromise<readonly Row[]>;
}

/** Queries about where scores come from; see `explanation-sql.ts`. @throws RetryableError */
export interface ExplanationRows extends ChainEventRows {
  /** What the edition grants a wallet now, whatever `change` says. */
  rules(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** Points per day. */
  days(wallet: number, end: ListEnd): MaybePromise<readonly Row[]>;
  /** How far the sources have been read in the current edition. */
  sources(end: ListEnd): MaybePromise<readonly Row[]>;
  /** The next changes of the edition's scores after one of them; none: there are no more. */
  changes(after: number, end: ListEnd): MaybePromise<readonly Row[]>;
}
