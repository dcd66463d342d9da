import {
  createConcurrentSink,
  createRunner,
  createSource,
  type RunnerHandle,
} from '@grammyjs/runner';
import type { Update } from 'grammy/types';
import { messageOf } from '#base';
import { withDeadline, within } from '#base/waiting';
import { LeaderElection, type ReplicaRef } from '#cluster';
import { callSignal, nodeSignal } from './call-signal.ts';
import { handlerOnce } from './connect.ts';
import { describeCall, FoundFault } from './faults.ts';
import { Intake, type IntakeOptions } from './intake.ts';
import { Patience, type TelegramSession, type Updates } from './session.ts';

/** Telegram rejects a second process polling with the same token (409). */
const CLAIM = 'telegram:polling';
/** Updates handled at once; we fetch no more than that. */
const CONCURRENCY = 1_000;
const BATCH_MAX = 100;

interface PollingOptions {
  /** Where updates survive this process; without it they only live in memory. */
  readonly inbox: IntakeOptions | undefined;
  /** Elects the replica that polls; without it this one does. */
  readonly turn: ReplicaRef | undefined;
}

/** Receives updates by long polling. No fault ends it. */
export class Polling implements Updates {
  readonly #link: TelegramSession;
  readonly #patience: Patience;
  readonly #intake: Intake | undefined;
  readonly #turn: LeaderElection | undefined;
  readonly #runner: RunnerHandle;
  /** The next update to fetch. Fetching it confirms all before it. */
  #offset = 0;
  #failed = true;
  /** Identifies the turn to which the offset belongs. */
  #turnSignal: AbortSignal | undefined;

  constructor(link: TelegramSession, { inbox, turn }: PollingOptions) {
    const { log, timing, bot } = link;
    const patience = new Patience(link);
    this.#link = link;
    this.#patience = patience;
    this.#intake = inbox && new Intake(link, inbox);
    this.#turn =
      turn &&
      new LeaderElection({
        replica: turn,
        claim: CLAIM,
        everyMs: timing.turnMs,
        onWon: () => log.info({}, 'Telegram: this replica polls for updates'),
        onLost() {
          link.health.standBy();
          log.info({}, 'Telegram: another replica polls for updates now');
        },
        onStandBy() {
          if (bot.isInited()) patience.good('another replica polls for updates');
        },
        onAway: (error) =>
          log.debug(
            { reason: messageOf(error) },
            'Telegram: could not reach the store to elect the polling replica',
          ),
      });
    const source = createSource<Update>({
      supply: (size, signal) => this.#fetch(size, nodeSignal(signal)),
    });
    const sink = createConcurrentSink<Update>(
      { consume: handlerOnce(link) },
      (error) => {
        link.log.error({ reason: messageOf(error) }, 'bug: could not handle an update');
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
      const updates = await withDeadline(undefined, [until, turn], (signal) =>
        this.#try(size, signal),
      );
      if (until.aborted) throw new Error('polling was stopped');
      if (updates !== undefined) return updates;
    }
  }

  /** @returns updates to handle; undefined to try again */
  async #try(size: number, signal: AbortSignal): Promise<Update[] | undefined> {
    try {
      await this.#link.connect(signal);
      const updates = await this.#poll(size, signal);
      // Updates that can't be kept come again with each poll, so only kept ones show that all is well.
      if (this.#intake === undefined) this.#confirmUpTo(updates);
      else await this.#takeIn(this.#intake, updates);
      this.#failed = false;
      this.#patience.good(`polling as @${this.#link.bot.botInfo.username}`);
      return this.#intake === undefined ? updates : undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      this.#failed = true;
      await this.#patience.afterFault(error, signal);
      return undefined;
    }
  }

  /** Waits until this replica may poll. @returns a signal that aborts when it no longer may */
  async #myTurn(until: AbortSignal): Promise<AbortSignal | undefined> {
    if (this.#turn === undefined) return undefined;
    await this.#connected(until);
    const turn = await this.#turn.wait(until);
    // Another replica may have polled meanwhile; it confirmed what it received.
    if (turn !== this.#turnSignal) this.#offset = 0;
    this.#turnSignal = turn;
    return turn;
  }

  /** A standby replica connects too, so that its status shows whether it could poll. */
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
   * Telegram drops updates once we fetch the next one, so they must be in the inbox by then.
   * @throws FoundFault if some aren't; we'll fetch those again
   */
  async #takeIn(intake: Intake, updates: readonly Update[]): Promise<void> {
    const taken = await Promise.all(updates.map((update) => intake.take(update)));
    const missing = taken.indexOf(false);
    this.#confirmUpTo(missing < 0 ? updates : updates.slice(0, missing));
    if (missing < 0) return;
    throw new FoundFault('inbox', 'the inbox is unavailable: Telegram keeps updates meanwhile');
  }

  #confirmUpTo(updates: readonly Update[]): void {
    this.#offset = (updates.at(-1)?.update_id ?? this.#offset - 1) + 1;
  }

  async #poll(size: number, signal: AbortSignal): Promise<Update[]> {
    const { poller, timing, wanted } = this.#link;
    const options = {
      offset: this.#offset,
      limit: Math.max(1, Math.min(size, BATCH_MAX)),
      // After a fault, return immediately so that the status recovers before the first update.
      timeout: this.#failed ? 0 : timing.pollSeconds,
      allowed_updates: wanted,
    };
    return await poller.getUpdates(options, callSignal(signal));
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
   * Confirms handled updates, so the next start continues after them. This call doesn't confirm the
   * updates it returns; they will be fetched again.
   */
  async #confirm(): Promise<void> {
    // Updates in the inbox are safe, answered or not.
    const unanswered = this.#intake === undefined ? this.#link.underWay.lowest : undefined;
    const offset = unanswered ?? this.#offset;
    if (offset === 0) return;
    const { poller, log, timing } = this.#link;
    const signal = callSignal(AbortSignal.timeout(timing.confirmMs));
    try {
      await poller.getUpdates({ offset, limit: 1, timeout: 0 }, signal);
    } catch (error) {
      log.warn(
        { reason: describeCall(error) },
        'Telegram: could not confirm handled updates; some may be answered twice',
      );
    }
  }
}
