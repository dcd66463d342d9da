/** Reads what somebody typed, runs the command and gives its card. */

export { Answerer, type CommandRequest } from './answerer.ts';
export type { CallerKeys, Command } from './command.ts';
export { placeIn } from './leaderboard-place.ts';
export type { Suggestion } from './resolve.ts';
