import {
  type APIModalInteractionResponseCallbackData,
  ComponentType,
  TextInputStyle,
  // Not from discord.js, which takes 40 MB: the page at / shows messages where no chat is configured.
} from 'discord-api-types/v10';
import { decodeCall, encodeCall } from '#core/call-code';
import type { Call, Form } from '#core/card';
import type { Caller, Command, OptionSpec } from '#core/command';
import { optionName, type Texts } from '#core/texts/index';
import { FORM } from './limits.ts';
import { label } from './markdown/blocks.ts';

type TextOption = Extract<OptionSpec, { kind: 'text' }>;

/** A form as its code tells it. */
export interface DecodedForm {
  /** What gets the text. */
  readonly option: TextOption;
  /** What is asked but for that option. */
  readonly call: Call;
  readonly isOwner: (caller: Caller) => boolean;
}

/** No call's code starts like this, nor does a menu's data. */
const CODE = /^~form(\d{1,2})~(.*)$/s;
const INPUT_ID = 'text';

/** Whether the data of a button says that it asks for a text. */
export function isFormCode(code: string): boolean {
  return CODE.test(code);
}

/**
 * The data of a button that asks for a text, and of the form that it opens: the option's place among
 * the command's, then the call's own code. It is all that is needed after a restart.
 * @throws Error when the form can't be, which is a bug of the command's
 */
export function formCode(
  { option, call }: Form,
  command: Command,
  owner: Caller | undefined,
): string {
  const place = command.options.findIndex((each) => each.name === option);
  if (command.options[place]?.kind !== 'text') {
    throw new Error(`a form of ${command.name} is for ${option}, which is no option for a text`);
  }
  return `~form${place}~${encodeCall(call, command, owner)}`;
}

/** @returns undefined for data that no version of ours made */
export function decodeForm(code: string, commands: readonly Command[]): DecodedForm | undefined {
  const [, place, called = ''] = CODE.exec(code) ?? [];
  const decoded = decodeCall(called, commands);
  const command = commands.find((each) => each.name === decoded?.call.command);
  const option = command?.options[Number(place)];
  return decoded === undefined || option?.kind !== 'text' ? undefined : { ...decoded, option };
}

/**
 * The form that a button opens. Its input stands in a label, for Discord calls one in a row
 * deprecated: https://discord.com/developers/docs/components/reference#action-row
 * @param title the pressed button's own label
 */
export function renderForm(
  code: string,
  title: string,
  option: TextOption,
  texts: Texts,
): APIModalInteractionResponseCallbackData {
  return {
    custom_id: code,
    title: label(title, FORM.title),
    components: [
      {
        type: ComponentType.Label,
        label: label(optionName(texts, option.name), FORM.label),
        description: label(option.about(texts), FORM.about),
        component: {
          type: ComponentType.TextInput,
          custom_id: INPUT_ID,
          style: TextInputStyle.Paragraph,
          required: true,
          max_length: Math.max(1, Math.min(option.longest, FORM.text)),
        },
      },
    ],
  };
}
