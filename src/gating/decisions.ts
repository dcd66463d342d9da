import { UserError } from '#base';
import { type Community, communityKey } from './rules/rule.ts';

/** Somebody's decision, while others about the same thing are open. */
interface Asked {
  /** Whether it was made rather than refused. */
  readonly isMade: Promise<boolean>;
}

/**
 * What moderators decide about one thing: of two who decide at once, the one who asked later counts, however long the
 * platform takes to answer either.
 */
export class Decisions {
  /** By what they are about, oldest first; those that were refused are left out. */
  readonly #asked = new Map<string, Asked[]>();
  readonly #open = new Map<string, number>();

  /**
   * @param about what it decides: a rule, a member's protection, a setting
   * @param work awaits `requireLast` right before it writes, after everything else that it waits for; that waits for
   *   those who asked later, who may be refused yet
   * @param isRefused whether it came to nothing, by its result; what throws was refused, too
   * @throws UserError `gate-decided-since`
   */
  async make<T>(
    community: Community,
    about: string,
    work: (requireLast: () => Promise<void>) => Promise<T>,
    isRefused: (result: T) => boolean = () => false,
  ): Promise<T> {
    const key = `${communityKey(community)} ${about}`;
    const asked = this.#asked.get(key) ?? [];
    this.#asked.set(key, asked);
    this.#open.set(key, (this.#open.get(key) ?? 0) + 1);
    const { promise: isMade, resolve: end } = Promise.withResolvers<boolean>();
    const mine = { isMade };
    asked.push(mine);
    const later = () => asked[asked.indexOf(mine) + 1];
    let isDecided = false;
    try {
      const result = await work(async () => {
        for (let next = later(); next !== undefined; next = later()) {
          if (await next.isMade) throw decidedSince();
        }
      });
      isDecided = !isRefused(result);
      return result;
    } finally {
      if (!isDecided) asked.splice(asked.indexOf(mine), 1);
      end(isDecided);
      const others = (this.#open.get(key) ?? 1) - 1;
      if (others > 0) this.#open.set(key, others);
      else {
        this.#open.delete(key);
        this.#asked.delete(key);
      }
    }
  }
}

/** What to answer to those who asked before that. */
export function decidedSince(): UserError {
  return new UserError('gate-decided-since', 'A moderator has decided otherwise since.');
}
