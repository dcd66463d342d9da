import { type MaybePromise, RetryableError } from '#base';
import { LANGUAGES, type Texts, textsFor } from '#command/texts';
import type { CommunityAdapter } from './community-adapter.ts';
import type { Community } from './rules/rule.ts';
import type { CommunitySettings, GateStore } from './store.ts';

/** Settings that many answers need; see `SettingCache`. */
export interface RememberedSettings<T> {
  of(key: string, read: () => MaybePromise<T>): Promise<T | undefined>;
  keep(key: string, value: T): void;
}

/** What a moderator may choose: a language for everybody, or each reader's own. */
export const LANGUAGE_CHOICES: readonly string[] = [...LANGUAGES, 'auto'];

/** @param known the community's settings, if they were just read */
export type CommunityTexts = (
  community: Community,
  known?: Pick<CommunitySettings, 'language'>,
) => Promise<Texts>;

/**
 * The texts for messages to a community: in the language that moderators have chosen, or else in its own on the
 * platform if it has one, otherwise English.
 */
export function communityTexts(
  adapterOf: (platform: Community['platform']) => CommunityAdapter | undefined,
  store: Pick<GateStore, 'settingsOf'>,
): CommunityTexts {
  return async (community, known) => {
    try {
      const { language } = known ?? (await store.settingsOf(community));
      if (language !== undefined) return textsFor(language);
      return textsFor(await adapterOf(community.platform)?.locale(community.id));
    } catch (error) {
      if (error instanceof RetryableError) return textsFor(undefined);
      throw error;
    }
  };
}
