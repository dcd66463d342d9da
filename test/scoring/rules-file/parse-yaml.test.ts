import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultLine } from '#scoring/faults';
import { parseYaml } from '#scoring/rules-file/parse-yaml';
import { EFFORT } from '../../support/random.ts';
import { faultsOf, REEF } from '../../support/rules.ts';

function faults(text: string): string[] {
  const parsed = parseYaml(text);
  return 'kind' in parsed ? [] : parsed.map(faultLine);
}

describe('YAML of a rules file', () => {
  it('becomes texts with their positions', () => {
    expect(parseYaml('a: 0x5aAe\nb: [007, true, ]\nc:\n')).toEqual({
      kind: 'map',
      at: { line: 1, column: 1 },
      entries: [
        {
          key: 'a',
          keyAt: { line: 1, column: 1 },
          value: { kind: 'text', at: { line: 1, column: 4 }, text: '0x5aAe' },
        },
        {
          key: 'b',
          keyAt: { line: 2, column: 1 },
          value: {
            kind: 'list',
            at: { line: 2, column: 4 },
            items: [
              { kind: 'text', at: { line: 2, column: 5 }, text: '007' },
              { kind: 'text', at: { line: 2, column: 10 }, text: 'true' },
            ],
          },
        },
        {
          key: 'c',
          keyAt: { line: 3, column: 1 },
          value: { kind: 'text', at: expect.anything(), text: '' },
        },
      ],
    });
  });

  it.each([
    ['a key twice', 'a: 1\na: 2\n', '2:1 This key occurs twice in the same map.'],
    ['an alias', 'a: &x 1\nb: *x\n', '2:4 Aliases (*name) aren’t supported'],
    ['an anchor', 'a: &x 1\n', '1:7 Anchors (&name) aren’t supported'],
    ['a tag', 'a: !!binary aGk=\n', '1:13 Tags (!name) aren’t supported.'],
    ['a tag of nobody', 'a: !x 1\n', '1:4 Tags (!name) aren’t supported.'],
    ['two documents', 'a: 1\n---\nb: 2\n', '2:1 A rules file is a single document'],
    ['a key that is a list', '[a]: 1\n', '1:1 A key must be a plain word.'],
    ['a tab', 'a:\n\tb: 1\n', 'Indent with spaces'],
    ['an open quote', 'a: "1\n', 'A character is missing here'],
    ['nothing', '# nothing\n', '1:1 The file is empty.'],
    ['what is nested without end', `a: ${'['.repeat(50)}${']'.repeat(50)}`, 'nested too deeply'],
    ['what is nested beyond any parser', `a: ${'['.repeat(50_000)}`, '1:'],
    [
      'the laughing bomb',
      'a: &a [x]\nb: &b [*a,*a]\nc: [*b,*b]\n',
      'Anchors (&name) aren’t supported',
    ],
  ])('rejects %s', (_, text, expected) => {
    expect(faults(text).join('\n')).toContain(expected);
  });

  it('reads as many keys as fit, and lists the first faults alone', () => {
    const parsed = parseYaml(Array.from({ length: 40_000 }, (_, i) => `k${i}: 1\n`).join(''));
    expect('kind' in parsed && parsed.kind === 'map' && parsed.entries.length).toBe(40_000);
    const twice = faults('a: 1\n'.repeat(40_000));
    expect(twice[0]).toContain('2:1 This key occurs twice in the same map.');
    expect(twice.length).toBeLessThanOrEqual(100);
  });

  it('never repeats a line where someone left a key', () => {
    const text = 'sources: {eth: {rpc: [https://x/SECRET\n  a: : b\n';
    expect(faults(text).length).toBeGreaterThan(0);
    expect(faults(text).join('\n')).not.toContain('SECRET');
  });

  it('ends in faults or rules, whatever is changed', () => {
    const cut = fc.record({
      at: fc.nat(REEF.length),
      length: fc.nat(40),
      put: fc.oneof(
        fc.string({ maxLength: 8 }),
        fc.constantFrom('{', '}', ': ', '- ', '\n', '&a ', '*a', '0'),
      ),
    });
    fc.assert(
      fc.property(fc.array(cut, { minLength: 1, maxLength: 3 }), (cuts) => {
        let text = REEF;
        for (const { at, length, put } of cuts) {
          text = text.slice(0, at) + put + text.slice(at + length);
        }
        for (const line of faultsOf(text)) expect(line).toMatch(/^\d+:\d+ [^\n]+$/);
      }),
      { numRuns: 60 * EFFORT },
    );
  });
});
