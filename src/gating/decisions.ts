import { UserError } from '#base';
import { type Community, communityKey } from './rules/rule.ts';

/**
 * What moderators decide about one thing: of two who decide at once, whoever asked later counts, however long the
 * platform takes to answer either.
 */
export class Decisions {
  /** By what they are about, those that others may have to give way to. */
  readonly #asked = new Map<string, Set<symbol>>();
  readonly #open = new Map<string, number>();

  /**
   * @param about what it decides: a rule, a member's protection, a setting
   * @param work calls `requireLast` right before it writes, after everything that it waits for
   * @throws UserError `gate-decided-since`
   */
  async make<T>(
    community: Community,
    about: string,
    work: (requireLast: () => void) => Promise<T>,
  ): Promise<T> {
    const key = `${communityKey(community)} ${about}`;
    const asked = this.#asked.get(key) ?? new Set();
    this.#asked.set(key, asked);
    this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    const mine = Symbol(about);
    asked.add(mine);
    try {
      return await work(() => {
        if ([...asked].at(-1) !== mine) throw decidedSince();
      });
    } catch (error) {
      // One that was refused decides nothing.
      asked.delete(mine);
      throw error;
    } finally {
      const others = (this.#open.get(key) ?? 1) - 1;
      if (others > 0) this.#open.set(key, others);
      else {
        this.#open.delete(key);
        this.#asked.delete(key);
      }
    }
  }
}

/** What to say to whoever asked before that. */
export function decidedSince(): UserError {
  return new UserError('gate-decided-since', 'A moderator has decided otherwise since.');
}
