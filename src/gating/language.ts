import { RetryableError } from '#base';
import { type Texts, textsFor } from '#command/texts';
import type { CommunityAdapter } from './community-adapter.ts';
import type { Community } from './rules/rule.ts';

/** The texts for messages to a community: in its own language if it has one, otherwise English. */
export function communityTexts(
  keeperOf: (platform: Community['platform']) => CommunityAdapter | undefined,
): (community: Community) => Promise<Texts> {
  return async ({ platform, id }) => {
    try {
      return textsFor(await keeperOf(platform)?.locale(id));
    } catch (error) {
      if (error instanceof RetryableError) return textsFor(undefined);
      throw error;
    }
  };
}
