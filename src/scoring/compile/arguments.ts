import { UINT64_MAX } from '#scoring/grammar/trigger';
import type { Trigger } from '#scoring/model';
import type { Argument, ArgumentKind, Signature } from '#scoring/signature/argument';

/** Arguments that rules can name; undefined if the event itself decides. */
export function argumentsOf(trigger: Trigger): readonly Argument[] | undefined {
  switch (trigger.kind) {
    case 'import':
      return undefined;
    case 'evm-event':
      return commonArguments(trigger.events);
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

/** Those that all declarations of an event have by the same name; of a single one, all. */
function commonArguments([first, ...others]: readonly Signature[]): readonly Argument[] {
  if (first === undefined || others.length === 0) return first?.args ?? [];
  return first.args.flatMap((each): Argument[] => {
    if (each.name === undefined) return [];
    const same = others.map(({ args }) => args.find(({ name }) => name === each.name));
    if (!same.every((other) => other?.kind === each.kind)) return [];
    const most = [each, ...same].map((one) => one?.max);
    const max = most.reduce((one, other) =>
      one === undefined || other === undefined || one > other ? one : other,
    );
    return [{ ...each, max }];
  });
}

function given(name: string, kind: ArgumentKind): Argument {
  const max = kind === 'integer' ? UINT64_MAX : undefined;
  return { name, type: kind, kind, isIndexed: false, max };
}
