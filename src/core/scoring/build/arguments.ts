import { UINT64_MAX } from '#core/scoring/grammar/trigger';
import type { Trigger } from '#core/scoring/model';
import type { Argument, ArgumentKind } from '#core/scoring/signature/argument';

/** Arguments that rules can name; undefined if the event itself decides. */
export function argumentsOf(trigger: Trigger): readonly Argument[] | undefined {
  switch (trigger.kind) {
    case 'import':
      return undefined;
    case 'evm-event':
      return trigger.event.args;
    case 'app-event':
    case 'app-method':
      return trigger.event.args.some(({ name }) => name === 'sender')
        ? trigger.event.args
        : [...trigger.event.args, given('sender', 'address')];
    case 'asset-transfer':
      return [
        given('sender', 'address'),
        given('receiver', 'address'),
        given('amount', 'integer'),
        given('closeTo', 'address'),
        given('closeAmount', 'integer'),
      ];
    case 'instruction':
      return [given('signer', 'address')];
    case 'vote':
      return [given('voter', 'address'), given('proposal', 'text')];
  }
}

function given(name: string, kind: ArgumentKind): Argument {
  const max = kind === 'integer' ? UINT64_MAX : undefined;
  return { name, type: kind, kind, isIndexed: false, max };
}
