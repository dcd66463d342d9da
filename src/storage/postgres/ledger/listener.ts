import { COMMIT_CHANNEL } from './channel.ts';
import { connect, type DedicatedConnection } from './connection.ts';

/** Detects a frozen server before what is shown counts as stale. */
const ANSWER_MS = 1_500;
/** An address that leads nowhere may have a new server by now. */
const CONNECT_MS = 2_000;

/**
 * A connection to the primary that listens for commits. If it breaks, the next query reconnects.
 */
export interface Listener {
  /** Throws RetryableError if the primary is unavailable. */
  rows(sql: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/** @param onCommit called after each commit */
export function listenForCommits(url: string, onCommit: () => void): Listener {
  let current: Promise<DedicatedConnection> | undefined;

  async function open(): Promise<DedicatedConnection> {
    const made = await connect(url, { answerMs: ANSWER_MS, connectMs: CONNECT_MS });
    made.client.on('notification', onCommit);
    try {
      // A read replica rejects LISTEN, so nobody follows a replica in place of its primary.
      await made.rows(`LISTEN ${COMMIT_CHANNEL}`);
      return made;
    } catch (error) {
      void made.close();
      throw error;
    }
  }

  function drop(which: Promise<DedicatedConnection>): void {
    if (current === which) current = undefined;
    which.then((each) => each.close()).catch(() => undefined);
  }

  async function ask(sql: string, values?: readonly unknown[]) {
    current ??= open();
    const used = current;
    try {
      return await (await used).rows(sql, values);
    } catch (error) {
      // Either the query or the connection failed: reconnecting costs little.
      drop(used);
      throw error;
    }
  }

  /** The previous query's; a connection runs one at a time. */
  let answered: Promise<unknown> = Promise.resolve();

  return {
    rows(sql, values) {
      const answer = answered.then(() => ask(sql, values));
      answered = answer.catch(() => undefined);
      return answer;
    },
    async close() {
      await current?.then((each) => each.close()).catch(() => undefined);
      current = undefined;
    },
  };
}
