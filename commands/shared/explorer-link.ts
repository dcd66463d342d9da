import type { Span } from '#command';
import type { CommandContext } from '#commands/answering/command';
import type { ChainEvent } from '#reputation';

/** A link to what an activity was given for, for the end of a line; empty where there's none. */
export function explorerLink(
  event: ChainEvent | undefined,
  { explorers, texts }: Pick<CommandContext, 'explorers' | 'texts'>,
): Span[] {
  if (event === undefined) return [];
  const url = explorers.event(event);
  if (url === undefined) return [];
  const { explorer } = texts;
  const link = event.vote === undefined ? explorer.transaction : explorer.proposal;
  return [' · ', { link, url }];
}
