import { monotonicMs } from '#base';
import { textsFor } from '#command/texts';
import {
  activityTypeIn,
  describeRule,
  type ReadRules,
  type RuleSet,
  rewardOf,
  type ScoringStore,
  titleIn,
} from '#scoring';

/** Another process may give a score version's rules other titles; they're shown after at most this long. */
const FRESH_MS = 10_000;

/** What people read of a rule. */
export interface ShownTitle {
  /** The operator's, otherwise the rule in words. */
  readonly title: string;
  /** What members call it: the operator's title, otherwise what kind of activity it gives. */
  readonly called: string;
  /** What it gives, for members. */
  readonly words: string;
  /** What it gives points for. */
  readonly counts: 'events' | 'days';
}

/** The rules of a score version as last read. */
interface ReadText {
  readonly edition: number;
  readonly text: string | undefined;
  readonly rules: RuleSet | undefined;
  /** By language. */
  readonly titles: Map<string, ReadonlyMap<string, ShownTitle>>;
}

/** A score version's rules and their titles. */
export class RuleTitles {
  readonly #store: Pick<ScoringStore, 'rulesText'>;
  readonly #read: ReadRules | undefined;
  readonly #clock: () => number;
  #last: ReadText | undefined;
  #asking: { readonly edition: number; readonly read: Promise<ReadText> } | undefined;
  #until = Number.NEGATIVE_INFINITY;

  /** @param clock milliseconds of a monotonic clock */
  constructor(
    store: Pick<ScoringStore, 'rulesText'>,
    read: ReadRules | undefined,
    clock: () => number = monotonicMs,
  ) {
    this.#store = store;
    this.#read = read;
    this.#clock = clock;
  }

  /** Undefined if they can't be read. @throws RetryableError */
  async rules(edition: number): Promise<RuleSet | undefined> {
    return (await this.#current(edition)).rules;
  }

  /** Titles by rule id, in the order of the file. */
  async titles(edition: number, language: string): Promise<ReadonlyMap<string, ShownTitle>> {
    const { rules, titles } = await this.#current(edition);
    const known = titles.get(language);
    if (known !== undefined) return known;
    const made = new Map(rules?.rules.map((rule) => [rule.id, shownOf(rule, rules, language)]));
    titles.set(language, made);
    return made;
  }

  async #current(edition: number): Promise<ReadText> {
    const last = this.#last;
    if (last?.edition === edition && this.#clock() < this.#until) return last;
    if (this.#asking?.edition !== edition) {
      const read = this.#ask(edition);
      this.#asking = { edition, read };
      const over = () => {
        if (this.#asking?.read === read) this.#asking = undefined;
      };
      read.then(over, over);
    }
    return this.#asking.read;
  }

  async #ask(edition: number): Promise<ReadText> {
    const last = this.#last;
    const text = this.#read && (await this.#store.rulesText(edition));
    const isSame = last?.edition === edition && last.text === text;
    const rules = text === undefined || isSame ? undefined : this.#read?.(text);
    const read = isSame ? last : { edition, text, rules, titles: new Map() };
    this.#last = read;
    this.#until = this.#clock() + FRESH_MS;
    return read;
  }
}

function shownOf(
  rule: RuleSet['rules'][number],
  { badges }: RuleSet,
  language: string,
): ShownTitle {
  const badgeName = (id: string) =>
    badges.find(({ definition }) => definition.id === id)?.definition.name ?? id;
  const texts = textsFor(language);
  const words = rewardOf(rule, texts, badgeName);
  const counts = rule.kind === 'hold' ? 'days' : 'events';
  const title = titleIn(rule, language);
  if (title !== undefined) return { title, called: title, words, counts };
  const kind = activityTypeIn(rule.give.type, texts);
  const called = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
  const inWords = describeRule(rule, texts, badgeName).replace(/\.$/, '');
  return { title: inWords, called, words, counts };
}
