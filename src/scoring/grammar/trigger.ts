import {
  oneOrList,
  optional,
  type RecordValue,
  record,
  required,
  variants,
} from '#scoring/shape/collections';
import { choice, integer, prose, text } from '#scoring/shape/scalar';
import { address, date, eventName, sourceId, start } from './names.ts';

export const UINT64_MAX = 2n ** 64n - 1n;

const fromSource = { source: required(sourceId, 'One of the sources.') };
const since = {
  since: required(start, 'Where reading begins: a block, slot or round, or a date.'),
};
const contracts = oneOrList(address, 100);
const assetId = integer(1n, UINT64_MAX);

const importFields = {
  import: required(eventName, 'The name of an imported event.'),
  since: optional(date, 'Only events of this date or later.'),
};
const evmFields = {
  ...fromSource,
  contract: required(contracts, 'The contract, or a list of contracts.'),
  event: required(
    oneOrList(prose(1_000), 10),
    'A Solidity event with names of its arguments, or a list of its declarations.',
  ),
  ...since,
};
const solanaFields = {
  ...fromSource,
  program: required(address, 'The program whose instructions count, inner ones included.'),
  prefix: required(
    text({
      accepts: 'hex digits such as 0x0a1b, at most 64 bytes',
      form: /^0x([0-9a-fA-F]{2}){0,64}$/,
      example: '0x0a1b',
    }),
    'The start of the instruction’s data; 0x matches any.',
  ),
  ...since,
};
const appFields = { ...fromSource, app: required(assetId, 'The id of the application.') };
const appEventFields = {
  ...appFields,
  event: required(prose(1_000), 'An ARC-28 event.'),
  ...since,
};
const appMethodFields = {
  ...appFields,
  method: required(prose(1_000), 'An ABI method with its return type.'),
  ...since,
};
const assetFields = {
  ...fromSource,
  asset: required(assetId, 'The id of the asset.'),
  transfer: required(
    choice(['received', 'sent', 'optin']),
    'What the wallet did: receive, send or opt in.',
  ),
  ...since,
};
const snapshotFields = {
  ...fromSource,
  space: required(
    text({ accepts: 'the id of a space such as reef.eth', form: /^[a-zA-Z0-9.:_-]{1,128}$/ }),
    'The space whose votes count.',
  ),
  since: required(date, 'Only votes of this date or later.'),
};

/** What a rule waits for; fields that its kind doesn't have are absent. */
export type TriggerText =
  | RecordValue<typeof importFields>
  | RecordValue<typeof evmFields>
  | RecordValue<typeof solanaFields>
  | RecordValue<typeof appEventFields>
  | RecordValue<typeof appMethodFields>
  | RecordValue<typeof assetFields>
  | RecordValue<typeof snapshotFields>;

export const trigger = variants<TriggerText>('what the rule counts', [
  { when: ['import'], shape: record('on: import', 'An imported event.', importFields) },
  { when: ['contract'], shape: record('on: contract', 'An event of an EVM contract.', evmFields) },
  {
    when: ['program'],
    shape: record('on: program', 'An instruction of a Solana program.', solanaFields),
  },
  {
    when: ['app', 'method'],
    shape: record('on: app + method', 'A call of an Algorand application.', appMethodFields),
  },
  {
    when: ['app'],
    shape: record('on: app + event', 'An event of an Algorand application.', appEventFields),
  },
  { when: ['asset'], shape: record('on: asset', 'A transfer of an Algorand asset.', assetFields) },
  {
    when: ['space'],
    shape: record(
      'on: space',
      'A vote in a Snapshot space, once its proposal is closed.',
      snapshotFields,
    ),
  },
]);
