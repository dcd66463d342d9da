import { setImmediate as nextTurn } from 'node:timers/promises';
import { mapMaybe, monotonicMs } from '#base';
import { type GateStore, MemberBoards, type MemberBoardsOptions } from '#gating';

/** Boards of communities' members, on the real clock unless another one is given. */
export function createBoards(
  parts: Omit<MemberBoardsOptions, 'monotonic' | 'yieldToEventLoop'> &
    Partial<Pick<MemberBoardsOptions, 'monotonic'>>,
): MemberBoards {
  return new MemberBoards({ monotonic: monotonicMs, ...parts, yieldToEventLoop: () => nextTurn() });
}

/** The same store, from which boards learn at once of new members of their communities. */
export function tellingBoards(store: GateStore, boards: () => MemberBoards): GateStore {
  return {
    ...store,
    noteMembers: (community, accounts) =>
      mapMaybe(store.noteMembers(community, accounts), (news) => {
        boards().noted(community, news);
        return news;
      }),
  };
}
