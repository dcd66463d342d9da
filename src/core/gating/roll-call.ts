import { messageOf, RetryableError } from '#core/errors';
import { isTooMany } from '#core/gating/brake';
import type { GateKeeper, Member } from '#core/gating/keeper';
import { type Community, ENTRY, type Rule } from '#core/gating/rule';
import type { GateStore } from '#core/gating/store';
import type { Logger } from '#core/logger';

export interface RollCallOptions {
  readonly store: GateStore;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Accounts that are asked about one by one in a pass. */
const ASKED_A_PASS = 200;

/** Finds out who is a member, as far as the platform tells. */
export class RollCall {
  readonly #options: RollCallOptions;
  /** By community: the last account that was asked about by itself. */
  readonly #asked = new Map<string, string>();

  constructor(options: RollCallOptions) {
    this.#options = options;
  }

  /** @returns all members as they are now; undefined where they can't be listed, or not believed */
  async of(
    community: Community,
    keeper: GateKeeper,
    rules: readonly Rule[],
  ): Promise<ReadonlyMap<string, Member> | undefined> {
    const seen = await this.#list(community, keeper);
    if (seen === undefined) await this.#discover(community, keeper, rules);
    return seen;
  }

  /**
   * Where members can't be listed, who has linked a wallet is asked about one by one: some in each
   * pass, and the next ones in the next.
   */
  async #discover(community: Community, keeper: GateKeeper, rules: readonly Rule[]): Promise<void> {
    const { store, signal, log } = this.#options;
    // To a group one asks to be let in, and is known from then on.
    if (rules.every(({ grant }) => grant === ENTRY)) return;
    const key = `${community.platform}:${community.id}`;
    const after = this.#asked.get(key) ?? '';
    const accounts = await store.linkedElsewhere(community, after, ASKED_A_PASS);
    this.#asked.set(key, accounts.length < ASKED_A_PASS ? '' : (accounts.at(-1) ?? ''));
    try {
      for (const account of accounts) {
        if (signal.aborted) return;
        const member = await keeper.member(community.id, account);
        if (member !== undefined) await store.noteMembers(community, [account]);
      }
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      log.debug({ error: messageOf(error) }, 'members are looked for with the next pass');
    }
  }

  async #list(
    community: Community,
    keeper: GateKeeper,
  ): Promise<ReadonlyMap<string, Member> | undefined> {
    const { store, signal, log } = this.#options;
    const pages = keeper.members(community.id, signal);
    if (pages === undefined) return undefined;
    const seen = new Map<string, Member>();
    const known = await store.countMembers(community);
    try {
      for await (const page of pages) {
        for (const member of page) seen.set(member.id, member);
        await store.noteMembers(
          community,
          page.map(({ id }) => id),
        );
      }
    } catch (error) {
      if (!(error instanceof RetryableError)) throw error;
      // Half a list would make everybody else look as if they had left.
      log.warn(
        { error: messageOf(error) },
        'the members cannot be listed now; they are asked for one by one',
      );
      return undefined;
    }
    if (isTooMany(known - seen.size, known)) {
      log.warn({ known, listed: seen.size }, 'the list of members is too short to be believed');
      return undefined;
    }
    return signal.aborted ? undefined : seen;
  }
}
