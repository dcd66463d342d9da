import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commands } from '#commands/index';
import { decodeCall } from '#core/call-code';
import { codeOf } from '#platforms/discord/components';
import { uploadOf } from '#platforms/discord/file';
import { decodeForm, isFormCode } from '#platforms/discord/forms';
import { renderCard } from '#platforms/discord/render';
import { faultsOfMessage } from '../../../bench/servers/discord/rules.ts';
import { faultsBySpec } from '../../../bench/servers/discord/spec.ts';
import { CALLER } from '../../support/ask.ts';
import { anyCard } from '../../support/discord/any-card.ts';

const EDIT = '/webhooks/{webhook_id}/{webhook_token}/messages/@original';

function render(card: Parameters<typeof renderCard>[0]) {
  const bugs: unknown[] = [];
  const body = renderCard(card, { commands, owner: CALLER, onBug: (bug) => bugs.push(bug) });
  return { body, bugs };
}

describe('whatever a card contains', () => {
  it('Discord accepts it', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const { body } = render(card);
        expect(faultsOfMessage({ ...body })).toEqual([]);
        expect(faultsBySpec('PATCH', EDIT, undefined, JSON.parse(JSON.stringify(body)))).toEqual(
          [],
        );
      }),
      { numRuns: 200 },
    );
  });

  it('its file is valid for Discord, or a bug', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        let upload: ReturnType<typeof uploadOf>;
        try {
          upload = uploadOf(card);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
          return;
        }
        expect(upload?.name).toBe(card.file?.name);
        expect(upload?.data.toString().length).toBe(card.file?.text.length);
      }),
    );
  });

  it('its forms lead where they should', () => {
    fc.assert(
      fc.property(anyCard, (card) => {
        const { body } = render({ ...card, menu: undefined });
        const ids = body.components.flatMap((row) => row.components.map((part) => idOf(part)));
        for (const id of ids.map(codeOf).filter(isFormCode)) {
          expect(decodeForm(id, commands)).toMatchObject({
            option: { name: 'key' },
            call: { command: 'apikey' },
          });
        }
      }),
    );
  });

  it('its buttons lead where they should', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999 }), fc.nat(4), (page, others) => {
        const call = { command: 'top', args: { page: String(page) } };
        const actions = [Array.from({ length: others + 1 }, () => ({ label: 'go', call }))];
        const { body, bugs } = render({ ...plain, actions });
        expect(bugs).toEqual([]);
        const ids = body.components.flatMap((row) => row.components.map((part) => idOf(part)));
        expect(new Set(ids).size).toBe(others + 1);
        for (const id of ids) expect(decodeCall(codeOf(id), commands)?.call).toEqual(call);
      }),
    );
  });
});

describe('an impossible button', () => {
  it.each([
    ['a command that is none', { label: 'x', call: { command: 'nothing', args: {} } }, 1],
    [
      'a call that is too long',
      { label: 'x', call: { command: 'apikey', args: { key: 'k'.repeat(70) } } },
      1,
    ],
    ['a link to a script', { label: 'x', url: 'javascript:alert(1)' }, 0],
  ])('is omitted: %s', (_, action, bugs) => {
    const rendered = render({ ...plain, actions: [[action]] });
    expect(rendered.body.components).toEqual([]);
    expect(rendered.bugs).toHaveLength(bugs);
  });
});

const plain = {
  tone: 'plain',
  title: 'A card',
  blocks: [],
  actions: [],
  menu: undefined,
  footer: [],
  private: false,
} as const;

function idOf(part: object): string {
  return 'custom_id' in part ? String(part.custom_id) : '';
}
