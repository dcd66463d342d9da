/** What Discord rejects in a form, or shows differently than intended; written by hand. */

type Loose = Readonly<Record<string, unknown>>;

const LABEL = 18;
const TEXT_INPUT = 4;
const PARAGRAPH = 2;

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-response-object-modal */
export function faultsOfForm(form: Loose): string[] {
  const faults: string[] = [];
  const within = (name: string, value: unknown, most: number) => {
    const text = typeof value === 'string' ? value : '';
    if (text.trim() === '') faults.push(`the ${name} of a form is blank`);
    if (text.length > most) faults.push(`the ${name} of a form is over ${most}`);
    if (!text.isWellFormed()) faults.push(`the ${name} of a form is not well-formed`);
  };
  within('custom_id', form.custom_id, 100);
  within('title', form.title, 45);
  const parts = (form.components ?? []) as readonly Loose[];
  if (parts.length < 1 || parts.length > 5) faults.push(`a form with ${parts.length} parts`);
  for (const part of parts) {
    if (part.type !== LABEL) faults.push('a part of a form that is no label');
    within('label', part.label, 45);
    if (part.description !== undefined) within('description', part.description, 100);
    const { type, style, custom_id, label, required, max_length } = (part.component ?? {}) as Loose;
    if (type !== TEXT_INPUT || style !== PARAGRAPH) faults.push('no input for a long text');
    within('input', custom_id, 100);
    if (label !== undefined) faults.push('an input with a label inside a label');
    if (required !== true) faults.push('an input that may be left empty');
    const most = Number(max_length);
    if (!(most >= 1 && most <= 4000)) faults.push(`an input of at most ${max_length}`);
  }
  return faults;
}
