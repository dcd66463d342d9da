import type { Texts } from '#command/texts';
import { shortInteger, type TokenAmount } from './amount.ts';
import { quoted } from './faults.ts';
import { isByBalance } from './inputs/input.ts';
import {
  type Condition,
  type EventRule,
  type Give,
  type HoldRule,
  isOrdered,
  type RuleSet,
  type ScoringRule,
} from './model.ts';
import type { Signature } from './signature.ts';

/** A rule as a sentence: what gives how many points, and within which limits. */
export function describeRule(
  rule: ScoringRule,
  texts: Texts,
  badgeName: (id: string) => string,
): string {
  const words = texts.rules;
  const { give } = rule;
  const points = pointsOf(give, texts);
  const parts =
    rule.kind === 'hold'
      ? [
          words[isByBalance(rule) ? 'forEachDayAsked' : 'forEachDay'](
            points,
            holdingOf(rule, texts),
          ),
        ]
      : [words.forEach(points, eventOf(rule, texts)), ...boundsOf(rule, texts)];
  return `${[...parts, ...limitsOf(give, texts, badgeName)].join('; ')}.`;
}

/** What bounds the points, and what else there is to get. */
function limitsOf(give: Give, texts: Texts, badgeName: (id: string) => string): string[] {
  const words = texts.rules;
  const parts: string[] = [];
  if (give.points.kind === 'by-amount' && give.points.most !== undefined) {
    parts.push(words.most(pointsText(Number(give.points.most), texts)));
  }
  if (give.cap !== undefined) {
    const most = pointsText(give.cap.points, texts);
    const { days } = give.cap;
    parts.push(
      days === undefined ? words.capEver(most) : words.capPer(most, daysText(days, texts)),
    );
  }
  if (give.halfLifeDays !== undefined)
    parts.push(words.halfLife(daysText(give.halfLifeDays, texts)));
  if (give.badge !== undefined) parts.push(words.earns(badgeName(give.badge)));
  return parts;
}

/** What a rule gives, for members: without contracts, events and arguments. */
export function rewardOf(
  { kind, give, ...rule }: ScoringRule,
  texts: Texts,
  badgeName: (id: string) => string,
): string {
  const words = texts.rules.members;
  const { points } = give;
  const parts: string[] = [];
  if (kind === 'hold') {
    const { min, tokenAmount, holding } = rule as HoldRule;
    parts.push(words[isByBalance({ holding }) ? 'eachDayAsked' : 'eachDay'](pointsOf(give, texts)));
    const isCount = holding.kind === 'erc721' || holding.kind === 'erc1155';
    if (tokenAmount !== undefined) parts.push(words.atLeast(amountText(tokenAmount, texts)));
    else if (isCount && min > 1n) parts.push(words.atLeast(units(min.toString(), texts)));
  } else if (points.kind === 'fixed') parts.push(words.each(pointsOf(give, texts)));
  else if (points.tokenAmount === undefined) parts.push(words.byAmount);
  else {
    const each = pointsText(Number(points.each), texts);
    parts.push(words.forEvery(each, amountText(points.tokenAmount, texts)));
  }
  return [...parts, ...limitsOf(give, texts, badgeName)].join(', ');
}

/** What members read in place of a rule's id, in the language that fits best; undefined: it has none. */
export function titleIn({ title }: ScoringRule, language: string): string | undefined {
  if (title === undefined || typeof title === 'string') return title;
  return title.get(language) ?? title.get('en') ?? title.values().next().value;
}

/**
 * What a file says beside its rules, as sentences: badges awarded by `needs`, discounts,
 * exemptions.
 */
export function describeRest(rules: RuleSet, texts: Texts): string[] {
  const words = texts.rules;
  const sentences: string[] = [];
  for (const { definition, need, isKeptWhile } of rules.badges) {
    if (need === undefined) continue;
    let needed =
      need.kind === 'score'
        ? words.needScore(texts.number(need.score))
        : words.needCount(texts.number(need.count), need.count === 1, need.type);
    if (need.kind === 'count' && need.withinDays !== undefined) {
      needed = words.needWithin(needed, daysText(need.withinDays, texts));
    }
    const kept = isKeptWhile ? `; ${words.whileKept}` : '';
    sentences.push(`${words.badge(definition.name, needed)}${kept}.`);
  }
  for (const discount of rules.discounts) {
    const percent = texts.percent(discount.factor / 10);
    const said =
      discount.kind === 'list'
        ? words.discountList(
            texts.number(discount.wallets.length),
            discount.wallets.length === 1,
            percent,
          )
        : words.discountYoung(daysText(discount.days, texts), percent);
    sentences.push(`${discount.id}: ${said}.`);
  }
  if (rules.exempt.length > 0) {
    sentences.push(
      `${words.exempt(texts.number(rules.exempt.length), rules.exempt.length === 1)}.`,
    );
  }
  if (rules.nobody.length > 0) sentences.push(`${words.nobody(rules.nobody.join(', '))}.`);
  return sentences;
}

function pointsOf({ points }: Give, texts: Texts): string {
  if (points.kind === 'fixed') return pointsText(points.points, texts);
  const each = pointsText(Number(points.each), texts);
  return texts.rules.pointsByAmount(
    each,
    points.tokenAmount === undefined
      ? units(points.per.toString(), texts)
      : amountText(points.tokenAmount, texts),
    argumentOf(points.argument, texts),
  );
}

function pointsText(points: number, texts: Texts): string {
  return texts.rules.points(texts.number(points), Math.abs(points) === 1);
}

function daysText(days: number, texts: Texts): string {
  return texts.rules.days(texts.number(days), days === 1);
}

function eventOf({ trigger, source }: EventRule, texts: Texts): string {
  const words = texts.rules.event;
  switch (trigger.kind) {
    case 'import':
      return words.imported(trigger.event);
    case 'evm-event':
      return words.contract(eventNames(trigger.events), trigger.contracts.join(', '), source);
    case 'instruction': {
      const event = words.instruction(trigger.program, source);
      return trigger.prefix === '0x' ? event : words.prefix(event, trigger.prefix);
    }
    case 'app-event':
      return words.appEvent(trigger.event.name, trigger.app.toString(), source);
    case 'app-method':
      return words.appMethod(trigger.event.name, trigger.app.toString(), source);
    case 'asset-transfer':
      return words[trigger.transfer](trigger.asset.toString(), source);
    case 'vote':
      return words.vote(trigger.space, source);
  }
}

function eventNames(events: readonly Signature[]): string {
  return [...new Set(events.map(({ name }) => name))].join(', ');
}

function boundsOf({ wallet, where, once }: EventRule, texts: Texts): string[] {
  const words = texts.rules;
  const bounds: string[] = [];
  if (wallet.kind === 'argument') {
    const { name } = wallet;
    bounds.push(words.to(isPlace(name) ? words.place(name) : words.argument(name)));
  }
  if (wallet.kind === 'account') bounds.push(words.to(words.account(String(wallet.place))));
  if (wallet.kind === 'owner-of') bounds.push(words.to(words.ownerOf(String(wallet.place))));
  if (where.length > 0) {
    bounds.push(words.where(where.map((each) => conditionOf(each, texts)).join(` ${words.and} `)));
  }
  if (once.length > 0) {
    const names = once.map((each) => argumentOf(each, texts));
    bounds.push(words.once(names.join(` ${words.and} `)));
  }
  return bounds;
}

function conditionOf(
  { argument, kind, comparison, operands, tokenAmounts }: Condition,
  texts: Texts,
): string {
  const isPlain = kind === 'integer' || kind === 'address' || kind === 'boolean';
  const values = operands.map((each, place) => {
    const amount = tokenAmounts?.[place];
    if (amount !== undefined) return amountText(amount, texts);
    // What is compared by size is an amount; others may be ids.
    if (isOrdered(comparison)) return units(each, texts);
    return isPlain ? each : quoted(each);
  });
  return `${argumentOf(argument, texts)} ${texts.rules.compare[comparison]} ${values.join(', ')}`;
}

/** Arguments without names go by their place, which alone would read as a number. */
function argumentOf(name: string, texts: Texts): string {
  return isPlace(name) ? texts.rules.place(name) : name;
}

function isPlace(name: string): boolean {
  return /^\d+$/.test(name);
}

/** An amount in base units; one that's too long to read is said in powers of ten, as far as that's exact. */
function units(digits: string, texts: Texts): string {
  const short = shortInteger(digits);
  return short.includes('10^') ? short : texts.exact(digits);
}

function amountText({ digits, symbol }: TokenAmount, texts: Texts): string {
  const figure = texts.exact(digits);
  return symbol === undefined ? figure : `${figure} ${symbol}`;
}

function holdingOf({ holding, min, tokenAmount, source }: HoldRule, texts: Texts): string {
  const words = texts.rules.holding;
  const least =
    tokenAmount === undefined ? units(min.toString(), texts) : amountText(tokenAmount, texts);
  switch (holding.kind) {
    case 'erc20':
    case 'erc721': {
      const isInTokens = tokenAmount !== undefined && holding.kind === 'erc20';
      const kind = isInTokens ? 'token' : holding.kind;
      return words[kind](least, holding.contract, source);
    }
    case 'contract':
      return words.contract(least, holding.contract, source);
    case 'erc1155':
      return words.erc1155(least, holding.token.toString(), holding.contract, source);
    case 'asa':
      return words[tokenAmount === undefined ? 'asa' : 'asset'](
        least,
        holding.asset.toString(),
        source,
      );
  }
}
