import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '#base';
import { MemberBoards, type MemberBoardsOptions } from '#gating';

/** Boards of communities' members, on the real clock unless another one is given. */
export function createBoards(
  parts: Omit<MemberBoardsOptions, 'monotonic' | 'yieldToEventLoop'> &
    Partial<Pick<MemberBoardsOptions, 'monotonic'>>,
): MemberBoards {
  return new MemberBoards({ monotonic: monotonicMs, ...parts, yieldToEventLoop: () => nextTurn() });
}
