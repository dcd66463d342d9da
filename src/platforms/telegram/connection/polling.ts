import {
  createConcurrentSink,
  createRunner,
  createSource,
  type RunnerHandle,
} from '@grammyjs/runner';
import type { Update } from 'grammy/types';
import { messageOf } from '#core/errors';
import { handlerOnce } from '#platforms/telegram/connection/connect';
import { describeCall, FoundFault } from '#platforms/telegram/connection/faults';
import { withFirstOf } from '#platforms/telegram/connection/first-of';
import { Intake, type IntakeOptions } from '#platforms/telegram/connection/intake';
import { Patience, type TelegramSession, type Updates } from '#platforms/telegram/connection/link';
import type { ReplicaRef } from '#runtime/claims';
import { Turn } from '#runtime/turn';
import { within } from '#runtime/within';

/** Telegram answers 409 to a second process that polls with one token. */
const CLAIM = 'telegram:polling';
/** Updates handled at once; beyond that no more are fetched. */
const CONCURRENCY = 500;
const BATCH_MAX = 100;

export interface PollingOptions {
  /** Where updates outlive this process; without it they live here alone. */
  readonly inbox: IntakeOptions | undefined;
  /** Says which of several replicas polls; without it this one does. */
  readonly turn: ReplicaRef | undefined;
}

/** Gets updates by long polling, for as long as it takes: a fault never ends it. */
export class Polling implements Updates {
  readonly #link: TelegramSession;
  readonly #patience: Patience;
  readonly #intake: Intake | undefined;
  readonly #turn: Turn | undefined;
  readonly #runner: RunnerHandle;
  /** The update to fetch next. Asking for it confirms all before it. */
  #offset = 0;
  #failed = true;
  /** Ends the turn in which the offset was found. */
  #turnSignal: AbortSignal | undefined;

  constructor(link: TelegramSession, { inbox, turn }: PollingOptions) {
    const { log, timing, bot } = link;
    const patience = new Patience(link);
    this.#link = link;
    this.#patience = patience;
    this.#intake = inbox && new Intake(link, inbox);
    this.#turn =
      turn &&
      new Turn({
        replica: turn,
        claim: CLAIM,
        everyMs: timing.turnMs,
        onWon: () => log.info({}, 'Telegram: this replica asks for updates'),
        onLost: () => log.info({}, 'Telegram: another replica asks for updates from now on'),
        onStandBy() {
          if (bot.isInited()) patience.good('another replica asks for updates');
        },
        onAway: (error) =>
          log.debug({ reason: messageOf(error) }, 'Telegram: nobody can say whose turn it is'),
      });
    const source = createSource<Update>({
      supply: (size, signal) => this.#fetch(size, signal as AbortSignal),
    });
    const sink = createConcurrentSink<Update>(
      { consume: handlerOnce(link) },
      (error) => {
        link.log.error({ reason: messageOf(error) }, 'a bug: an update was not handled');
        return Promise.resolve();
      },
      { concurrency: CONCURRENCY },
    );
    this.#runner = createRunner(source, sink);
    this.#runner.start();
  }

  async #fetch(size: number, until: AbortSignal): Promise<Update[]> {
    for (;;) {
      const turn = await this.#myTurn(until);
      const signals = turn === undefined ? [until] : [until, turn];
      const updates = await withFirstOf(signals, (signal) => this.#try(size, signal));
      if (until.aborted) throw new Error('polling was stopped');
      if (updates !== undefined) return updates;
    }
  }

  /** @returns updates to handle; undefined when there are none and it is to be tried again */
  async #try(size: number, signal: AbortSignal): Promise<Update[] | undefined> {
    try {
      await this.#link.connect(signal);
      const updates = await this.#poll(size, signal);
      this.#failed = false;
      this.#patience.good(`polling as @${this.#link.bot.botInfo.username}`);
      if (this.#intake !== undefined) return await this.#takeIn(this.#intake, updates);
      this.#confirmUpTo(updates);
      return updates;
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#failed = true;
      await this.#patience.afterFault(error, signal);
      return undefined;
    }
  }

  /** Waits until this replica may poll. @returns aborted when it may not any more */
  async #myTurn(until: AbortSignal): Promise<AbortSignal | undefined> {
    if (this.#turn === undefined) return undefined;
    await this.#connected(until);
    const turn = await this.#turn.wait(until);
    // Whoever polled meanwhile has confirmed what it got.
    if (turn !== this.#turnSignal) this.#offset = 0;
    this.#turnSignal = turn;
    return turn;
  }

  /** Who stands by finds out as well whether it could poll. */
  async #connected(until: AbortSignal): Promise<void> {
    while (!until.aborted) {
      try {
        return await this.#link.connect(until);
      } catch (error) {
        if (!until.aborted) await this.#patience.afterFault(error, until);
      }
    }
  }

  /**
   * Telegram forgets updates when the one after them is asked for: by then the inbox must have them.
   * @throws FoundFault when it has not all of them; the others are fetched again
   */
  async #takeIn(intake: Intake, updates: readonly Update[]): Promise<undefined> {
    const taken = await Promise.all(updates.map((update) => intake.take(update)));
    const missing = taken.indexOf(false);
    this.#confirmUpTo(missing < 0 ? updates : updates.slice(0, missing));
    if (missing < 0) return undefined;
    throw new FoundFault('inbox', 'updates can not be taken now: Telegram keeps them meanwhile');
  }

  #confirmUpTo(updates: readonly Update[]): void {
    this.#offset = (updates.at(-1)?.update_id ?? this.#offset - 1) + 1;
  }

  async #poll(size: number, signal: AbortSignal): Promise<Update[]> {
    const { poller, timing, wanted } = this.#link;
    const options = {
      offset: this.#offset,
      limit: Math.max(1, Math.min(size, BATCH_MAX)),
      // After a fault it comes back at once, so that the recovery shows before the first update.
      timeout: this.#failed ? 0 : timing.pollSeconds,
      allowed_updates: wanted,
    };
    return await poller.getUpdates(options, signal as Parameters<typeof poller.getUpdates>[1]);
  }

  async stop(): Promise<void> {
    const { underWay, timing } = this.#link;
    const ended = Promise.resolve(this.#runner.stop()).catch(() => undefined);
    await within(ended, timing.stopMs);
    this.#intake?.stop();
    await underWay.settle(timing.stopMs);
    if (this.#turn === undefined || this.#turn.isMine) await this.#confirm();
    await this.#turn?.release();
  }

  /**
   * Tells Telegram what was handled, so that the next start begins after it. What comes back is not
   * confirmed by this call and will be fetched again.
   */
  async #confirm(): Promise<void> {
    // What is in the inbox is safe, answered or not.
    const unanswered = this.#intake === undefined ? this.#link.underWay.lowest : undefined;
    const offset = unanswered ?? this.#offset;
    if (offset === 0) return;
    const { poller, log, timing } = this.#link;
    const signal = AbortSignal.timeout(timing.confirmMs) as Parameters<typeof poller.getUpdates>[1];
    try {
      await poller.getUpdates({ offset, limit: 1, timeout: 0 }, signal);
    } catch (error) {
      log.warn(
        { reason: describeCall(error) },
        'Telegram: could not confirm what was handled; some of it may be answered twice',
      );
    }
  }
}
