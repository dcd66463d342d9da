import type { WalletMode } from './decide/counted-wallets.ts';
import { rungsOf } from './decide/ladder.ts';
import { keptReason } from './decide/reason.ts';
import type { Decisions } from './decisions.ts';
import { LANGUAGE_CHOICES, type RememberedSettings } from './language.ts';
import type { RoleRights } from './rules/role-rights.ts';
import { type Community, communityKey } from './rules/rule.ts';
import { noteDecision, type RuleChangesOptions } from './rules/rule-changes.ts';

export interface ChoicesOptions
  extends Pick<RuleChangesOptions, 'store' | 'now' | 'onRulesChanged'> {
  /** Communities' languages, `auto` where none is chosen. */
  readonly languages: RememberedSettings<string>;
  readonly walletModes: RememberedSettings<WalletMode>;
  readonly rights: Pick<RoleRights, 'requireForAll'>;
  readonly decisions: Decisions;
}

const AUTO = 'auto';

/** What moderators have chosen for their community that nearly every answer there needs. */
export class CommunityChoices {
  readonly #options: ChoicesOptions;

  constructor(options: ChoicesOptions) {
    this.#options = options;
  }

  /**
   * The language of what everybody reads there, even if the store is away; undefined: each reader's own.
   */
  async languageOf(community: Community): Promise<string | undefined> {
    const chosen = await this.languageChoiceOf(community);
    return chosen === AUTO ? undefined : chosen;
  }

  /** One of LANGUAGE_CHOICES; undefined if it isn't known in time. */
  async languageChoiceOf(community: Community): Promise<string | undefined> {
    const { store, languages } = this.#options;
    return await languages.of(communityKey(community), async () => {
      return (await store.settingsOf(community)).language ?? AUTO;
    });
  }

  /** @param choice one of LANGUAGE_CHOICES */
  async setLanguage(community: Community, choice: string, by: string): Promise<void> {
    if (!LANGUAGE_CHOICES.includes(choice)) throw new Error(`there is no language ${choice}`);
    const { store, languages } = this.#options;
    if (((await store.settingsOf(community)).language ?? AUTO) === choice) {
      languages.keep(communityKey(community), choice);
      return;
    }
    await store.putSettings(community, { language: choice === AUTO ? undefined : choice });
    languages.keep(communityKey(community), choice);
    await noteDecision(this.#options, community, 'language', {
      by,
      detail: keptReason({ code: 'language', choice }),
    });
  }

  /** How several wallets of a member count there; undefined if it isn't known in time. */
  async walletModeOf(community: Community): Promise<WalletMode | undefined> {
    const { store, walletModes } = this.#options;
    return await walletModes.of(communityKey(community), async () => {
      return (await store.settingsOf(community)).walletMode ?? 'best';
    });
  }

  /**
   * Runs that are under way skip what they planned by the other one.
   * @returns whether it's another one
   * @throws UserError `gate-roles-above`, `gate-decided-since`
   */
  async setWalletMode(community: Community, mode: WalletMode, by: string): Promise<boolean> {
    const { store, walletModes, decisions, rights } = this.#options;
    return await decisions.make(community, 'wallets', async (requireLast) => {
      const { walletMode: before = 'best' } = await store.settingsOf(community);
      if (before === mode) return false;
      await rights.requireForAll(community, by);
      await requireLast();
      await store.putSettings(community, { walletMode: mode });
      walletModes.keep(communityKey(community), mode);
      await noteDecision(this.#options, community, 'wallets', {
        by,
        detail: keptReason({ code: 'wallets', mode }),
      });
      this.#options.onRulesChanged(community);
      return true;
    });
  }

  /** The roles of the ladder; none while it's off. */
  async rungsOf(community: Community): Promise<ReadonlySet<string>> {
    const { rules, settings } = await this.#options.store.rulesAndSettingsOf(community);
    return new Set(settings.isLadder === true ? rungsOf(rules).keys() : []);
  }

  /**
   * Whether members get the highest of the roles for tiers alone.
   * @throws UserError `gate-roles-above`, `gate-decided-since`
   */
  async setLadder(community: Community, isOn: boolean, by: string): Promise<void> {
    const { store, decisions, rights } = this.#options;
    await decisions.make(community, 'ladder', async (requireLast) => {
      if (((await store.settingsOf(community)).isLadder === true) === isOn) return;
      await rights.requireForAll(community, by);
      await requireLast();
      await store.putSettings(community, { isLadder: isOn });
      await noteDecision(this.#options, community, isOn ? 'ladder-on' : 'ladder-off', { by });
      this.#options.onRulesChanged(community);
    });
  }
}
