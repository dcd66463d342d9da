import { textsFor } from '#command/texts/index';
import { describeRule } from '#scoring/describe';
import type { ReadRules, ScoringStore } from '#scoring/editions/store';
import type { RuleSet } from '#scoring/model';

/** An edition's rules and their titles. */
export class RuleTitles {
  readonly #store: Pick<ScoringStore, 'rulesText'>;
  readonly #read: ReadRules | undefined;
  #kept: { readonly edition: number; readonly rules: Promise<RuleSet | undefined> } | undefined;
  /** By language, for the cached edition. */
  #titles = new Map<string, ReadonlyMap<string, string>>();

  constructor(store: Pick<ScoringStore, 'rulesText'>, read: ReadRules | undefined) {
    this.#store = store;
    this.#read = read;
  }

  /** Undefined if they can't be read. @throws RetryableError */
  rules(edition: number): Promise<RuleSet | undefined> {
    if (this.#kept?.edition !== edition) {
      const rules = this.#ask(edition);
      this.#kept = { edition, rules };
      this.#titles = new Map();
      rules.catch(() => {
        if (this.#kept?.rules === rules) this.#kept = undefined;
      });
    }
    return this.#kept.rules;
  }

  /** Titles by rule id, in the order of the file. */
  async titles(edition: number, language: string): Promise<ReadonlyMap<string, string>> {
    const rules = await this.rules(edition);
    const known = this.#kept?.edition === edition ? this.#titles.get(language) : undefined;
    if (known !== undefined) return known;
    const titles = new Map(rules?.rules.map((rule) => [rule.id, titleOf(rule, rules, language)]));
    if (this.#kept?.edition === edition) this.#titles.set(language, titles);
    return titles;
  }

  async #ask(edition: number): Promise<RuleSet | undefined> {
    const text = this.#read && (await this.#store.rulesText(edition));
    return text === undefined ? undefined : this.#read?.(text);
  }
}

function titleOf(rule: RuleSet['rules'][number], { badges }: RuleSet, language: string): string {
  const badgeName = (id: string) =>
    badges.find(({ definition }) => definition.id === id)?.definition.name ?? id;
  return describeRule(rule, textsFor(language), badgeName).replace(/\.$/, '');
}
