import { wallSeconds } from '#base';
import { durationText } from '#cli/duration';
import { heightText } from '#cli/height';
import type { Source } from '#scoring';
import type { ProbedNode } from '#sources';
import type { RunningNode } from './ask-service.ts';

/**
 * A node's row in the table of a source: its variable, its host, and what is known about it.
 * @param found what the running service found; undefined if none runs
 */
export function nodeRow(
  source: Source,
  { variable, host = '', end, words }: ProbedNode,
  found: RunningNode | undefined,
): readonly string[] {
  const state =
    end === undefined
      ? (words ?? '')
      : `at ${heightText(source, end.height)}, ${durationText(wallSeconds() - end.time)} old`;
  const limit = found?.widest === undefined ? '' : `, up to ${found.widest} at once`;
  // Its name stands in the columns before.
  const first = `${state}${limit}`.replace(`${variable} (${host}) `, '');
  const fault = found?.lastFault;
  // The service and the check just now may have found the same.
  if (fault === undefined || fault === words) return ['', variable, host, first];
  const sentence = first.endsWith('.') ? first : `${first}.`;
  return ['', variable, host, `${sentence} Last fault: ${fault}`];
}
