import { type MaybePromise, type PlatformTraits, UserError } from '#base';
import { type Account, accountKey, type Caller, WEB } from '#command';
import type { Reading, TierThresholds } from '#reputation';
import type { Wallet } from '#wallet';
import type {
  BoardMeasure,
  MemberBoardPage,
  MemberBoards,
  MemberPlace,
  PageAsked,
} from './boards/member-boards.ts';
import type { Gating } from './gating.ts';
import type { Access, MemberAccess } from './members/access.ts';
import type { Community } from './rules/rule.ts';

/** Communities shown at once, where somebody asks in private. */
const COMMUNITIES = 10;

/** What one caller can get: where they ask, or in private wherever they ask to be let in. */
export class CallerAccess {
  readonly #access: MemberAccess;
  readonly #caller: Caller;
  readonly #platforms: readonly PlatformTraits[];

  constructor(access: MemberAccess, caller: Caller, platforms: readonly PlatformTraits[]) {
    this.#access = access;
    this.#caller = caller;
    this.#platforms = platforms;
  }

  /** @throws UserError `gate-not-here`, RetryableError */
  async of(thresholds: TierThresholds): Promise<Access> {
    const all: Access[] = [];
    for (const community of await this.#communities()) {
      all.push(await this.#access.of(community, this.#caller.id, thresholds));
    }
    return {
      lines: all.flatMap(({ lines }) => lines),
      isPaused: all.some(({ isPaused }) => isPaused),
      wallets: all[0]?.wallets ?? 0,
      asOf: all.find(({ asOf }) => asOf !== undefined)?.asOf,
    };
  }

  /** See `MemberAccess`. @throws UserError `gate-not-here`, RetryableError */
  async check(): Promise<void> {
    for (const community of await this.#communities()) {
      await this.#access.check(community, this.#caller.id);
    }
  }

  /** In private, nobody could tell which server a role belongs to; but a group's entry names it. */
  async #communities(): Promise<readonly Community[]> {
    const here = communityOf(this.#caller);
    if (here !== undefined) return [here];
    const traits = this.#platforms.find(({ id }) => id === this.#caller.platform);
    if (traits?.grants !== 'entry') {
      throw new UserError('gate-not-here', 'Use this in a server or a group.');
    }
    return (await this.#access.communitiesOf(this.#caller)).slice(0, COMMUNITIES);
  }
}

/** The board of the community where somebody asks. */
export class CallerBoard {
  readonly #boards: MemberBoards;
  readonly #caller: Caller;

  constructor(boards: MemberBoards, caller: Caller) {
    this.#boards = boards;
    this.#caller = caller;
  }

  /** See `MemberBoards`. @throws UserError `gate-not-here` */
  page(measure: BoardMeasure, reading: Reading, asked: PageAsked): Promise<MemberBoardPage> {
    return this.#boards.page(this.#caller, this.#community(), measure, reading, asked);
  }

  /** The caller's own place. @throws UserError `gate-not-here` */
  place(
    wallets: readonly Wallet[],
    measure: BoardMeasure,
    reading: Reading,
  ): Promise<MemberPlace | undefined> {
    return this.#boards.placeOf(this.#caller, this.#community().id, wallets, measure, reading);
  }

  #community(): Community {
    const community = communityOf(this.#caller);
    if (community === undefined) {
      throw new UserError(
        'gate-not-here',
        'This belongs to a community: use it in a server or a group.',
      );
    }
    return community;
  }
}

/** What a moderator works with. */
export interface Moderation {
  readonly gating: Gating;
  readonly community: Community;
  /** On the community's platform. */
  readonly traits: PlatformTraits;
  /** As in the audit log: `discord:1234`. */
  readonly by: string;
}

/** The community of the command; undefined in a private chat. */
export function communityOf({ platform, community }: Caller): Community | undefined {
  return platform === WEB || community === undefined ? undefined : { platform, id: community };
}

/**
 * Checks that the caller is a moderator.
 * @throws UserError `gate-not-here`, `gate-not-allowed`, `gate-bot-away`
 */
export async function moderate(
  gating: Gating,
  caller: Caller,
  isModerator: (() => MaybePromise<boolean>) | undefined,
  platforms: readonly PlatformTraits[],
): Promise<Moderation> {
  const community = communityOf(caller);
  if (community === undefined) {
    throw new UserError(
      'gate-not-here',
      'This belongs to a community: use it in a server or a group.',
    );
  }
  if (isModerator === undefined || !(await isModerator())) {
    throw new UserError('gate-not-allowed', 'Only moderators can do that.');
  }
  const traits = platforms.find(({ id }) => id === community.platform);
  if (traits === undefined) throw new Error(`there is no platform ${community.platform}`);
  const account: Account = caller;
  return { gating, community, traits, by: accountKey(account) };
}
