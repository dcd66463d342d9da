import type { Api } from 'grammy';
import { BoundedMap, type Logger } from '#base';
import { callSignal } from '#platforms/telegram/connection/call-signal';
import { describeCall } from '#platforms/telegram/connection/faults';
import { numberOf } from './members.ts';
import { newIdIn, type OnMoved } from './refusals.ts';

type GetChat = Pick<Api, 'getChat'>;

/** Ids of supergroups and channels (https://core.telegram.org/api/bots/ids). They never change. */
const SUPERGROUPS_BELOW = -1_000_000_000_000;
const KEPT = 1_000;

/**
 * The id that a group has since it became a supergroup; undefined if it hasn't.
 * @throws GrammyError, HttpError
 */
export async function newIdOf(
  api: GetChat,
  chat: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (chat <= SUPERGROUPS_BELOW) return undefined;
  try {
    await api.getChat(chat, signal && callSignal(signal));
  } catch (error) {
    const moved = newIdIn(error);
    if (moved === undefined) throw error;
    return moved;
  }
  return undefined;
}

export interface FormerGroupsOptions {
  readonly api: GetChat;
  readonly log: Logger;
  /** Called with a group whose id has changed. */
  readonly onMoved: OnMoved;
  /** Milliseconds after which we give up on Telegram, as someone is waiting for the answer. */
  readonly patienceMs: number;
}

/** Groups that became supergroups: links in what was posted before name them by their former ids. */
export class FormerGroups {
  readonly #options: FormerGroupsOptions;
  readonly #newIds = new BoundedMap<string, string>(KEPT);

  constructor(options: FormerGroupsOptions) {
    this.#options = options;
  }

  /** @returns the id that a group has now; the given one if Telegram doesn't say */
  async idNow(community: string): Promise<string> {
    const known = this.#newIds.get(community);
    const chat = numberOf(community);
    if (known !== undefined || chat === undefined) return known ?? community;
    const { api, log, onMoved, patienceMs } = this.#options;
    try {
      const moved = await newIdOf(api, chat, AbortSignal.timeout(patienceMs));
      if (moved === undefined) return community;
      onMoved(community, moved);
      this.#newIds.set(community, moved);
      return moved;
    } catch (error) {
      log.debug({ reason: describeCall(error) }, "Telegram: could not ask for a group's id");
      return community;
    }
  }
}
