import { describe, expect, it } from 'vitest';
import { textsFor } from '#command/texts/index';
import { describeRule, titleIn } from '#scoring/describe';
import { RuleTitles } from '#storage/scoring/rule-titles';
import { faultsOf, fileOf, validRules } from '../support/rules.ts';

const workshop = (title: string) =>
  fileOf(
    `{id: workshop, ${title}on: {import: workshop_attended}, give: {type: event_attended, points: 25}}`,
  );

function titleOf(title: string, language: string): string | undefined {
  const [rule] = validRules(workshop(`title: ${title}, `)).rules.rules;
  return rule && titleIn(rule, language);
}

describe('A title of a rule', () => {
  it('is a text, or one for each language', () => {
    expect(titleOf('Came to a workshop', 'es')).toBe('Came to a workshop');
    const both = '{en: Came to a workshop, es: Asistió a un taller}';
    expect(titleOf(both, 'en')).toBe('Came to a workshop');
    expect(titleOf(both, 'es')).toBe('Asistió a un taller');
    expect(titleOf(both, 'de')).toBe('Came to a workshop');
    expect(titleOf('{de: War im Workshop, fr: Venu}', 'en')).toBe('War im Workshop');
  });

  it('changes neither the hash of the rules nor what they say in words', () => {
    const [plain, named] = ['', '{en: Came, es: Vino}'].map((title) =>
      validRules(workshop(title && `title: ${title}, `)),
    );
    expect(named?.canonical).toBe(plain?.canonical);
    expect(named?.hash).toBe(plain?.hash);
    const words = [plain, named].map(
      (each) => each?.rules.rules[0] && describeRule(each.rules.rules[0], textsFor('en'), String),
    );
    expect(words[1]).toBe(words[0]);
  });

  it.each([
    ['""', 'found nothing to see'],
    [JSON.stringify('\u200b\u2060'), 'found nothing to see'],
    ['"\\u202eevil"', 'found a character that changes the reading direction (U+202E)'],
    ['"two\\nlines"', 'found a control character (U+000A)'],
    [`"${'x'.repeat(81)}"`, 'found 81 characters'],
    ['{}', ''],
    ['{english: Came}', 'a language such as en or es; found "english"'],
    ['{en: ""}', 'found nothing to see'],
  ])('is refused as %s', (title, fault) => {
    if (fault === '') expect(titleOf(title, 'en')).toBeUndefined();
    else expect(faultsOf(workshop(`title: ${title}, `)).join()).toContain(fault);
  });

  it('is safe to show: without invisible characters or stacked marks', () => {
    expect(titleOf(JSON.stringify('z\u0301\u0302\u0303\u0304\u0305al\u200bgo'), 'en')).toBe(
      'ź\u0302\u0303\u0304algo',
    );
  });
});

describe('Titles of a score version', () => {
  function kept(text: string) {
    const at = { text, ms: 0, asked: 0 };
    const store = {
      rulesText: async () => {
        at.asked += 1;
        return at.text;
      },
    };
    const titles = new RuleTitles(
      store,
      (each) => validRules(each, undefined, true).rules,
      () => at.ms,
    );
    return { at, shown: async () => (await titles.titles(1, 'en')).get('workshop') };
  }
  const words = '25 points each time';

  it('are what the operator calls the rules, otherwise the rules in words; members read neither events nor arguments', async () => {
    const { shown } = kept(workshop(''));
    const title = '25 points for each imported event workshop_attended';
    expect(await shown()).toEqual({ title, called: 'Event attended', words, counts: 'events' });
    const named = kept(workshop('title: Came, '));
    expect(await named.shown()).toEqual({
      ...{ title: 'Came', called: 'Came', words, counts: 'events' },
    });
  });

  it('say that a rule about holding counts days', async () => {
    const { shown } = kept(
      fileOf(
        '{id: workshop, hold: {source: eth, erc20: "0xc00e94Cb662C3520282E6f5717214004A7f26888", min: 1, since: 1}, give: {type: holding_day, points: 3}}',
      ),
    );
    expect(await shown()).toMatchObject({ counts: 'days' });
  });

  it('change ten seconds after the stored text, which is asked for once until then', async () => {
    const { at, shown } = kept(workshop('title: Came, '));
    await Promise.all([shown(), shown()]);
    at.text = workshop('title: Took part, ');
    at.ms = 9_999;
    expect(await shown()).toMatchObject({ title: 'Came' });
    expect(at.asked).toBe(1);
    at.ms = 10_000;
    expect(await shown()).toMatchObject({ title: 'Took part' });
    expect(at.asked).toBe(2);
  });
});
