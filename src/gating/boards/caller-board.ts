import { UserError } from '#base';
import type { Caller } from '#command';
import { communityOf } from '#gating/moderation';
import type { Community } from '#gating/rules/rule';
import type { Reading } from '#reputation';
import type { Wallet } from '#wallet';
import type {
  BoardMeasure,
  MemberBoardPage,
  MemberBoards,
  MemberPlace,
  PageAsked,
} from './member-boards.ts';

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
