import { UserError } from '#base';
import { CHAIN_FORM, childOf, NODES_FIELDS, type RulesNode, sourceKindOf } from '#scoring';
import type { RuleTemplate } from '#scoring/rules-file';
import type { RuleAnswers } from './answers.ts';
import { canRead, KNOWN_CHAINS, type NamedSource, sourceFor } from './source-names.ts';

export interface ChosenSource extends NamedSource {
  /** Whether the file doesn't have it yet. */
  readonly isNew: boolean;
}

const ANOTHER = 'another';

/**
 * The source that a template's rules read: one of the file's, or a new one.
 * @returns undefined for rules about imports
 * @throws UserError `wrong-usage` if the options contradict the file or the template
 */
export async function chooseSource(
  template: RuleTemplate,
  file: RulesNode,
  answers: RuleAnswers,
  isSet: (name: string) => boolean,
  wanted: { readonly source: string | undefined; readonly chain: string | undefined },
): Promise<ChosenSource | undefined> {
  if (template.source === 'import') return undefined;
  const known = sourcesIn(file);
  const { source, chain } = wanted;
  const named = known.find(({ id }) => id === source);
  if (source !== undefined && named === undefined) {
    throw new UserError('wrong-usage', `--source: there is no source "${source}" in the file.`);
  }
  if (chain !== undefined && !CHAIN_FORM.test(chain)) {
    throw new UserError('wrong-usage', '--chain must be eip155:N, such as eip155:1 for Ethereum.');
  }
  const wrong = [chain, named?.chain].find(
    (each) => each !== undefined && !canRead(template, each),
  );
  if (wrong !== undefined) {
    const which = template.chains.length > 0 ? template.chains.join(', ') : template.source;
    throw new UserError('wrong-usage', `${template.name} is for ${which}, not for ${wrong}.`);
  }
  if (named !== undefined) return { ...named, isNew: false };
  const usable = known.filter(
    (each) => canRead(template, each.chain) && (chain ?? each.chain) === each.chain,
  );
  const created = (of: string): ChosenSource => ({
    ...sourceFor(
      of,
      known.map(({ id }) => id),
      isSet,
    ),
    isNew: true,
  });
  const [first] = usable;
  const isFree = template.source === 'evm' && template.chains.length === 0 && chain === undefined;
  if (first !== undefined && answers.prompts !== undefined && isFree) {
    const picked = await answers.prompts.select<string>({
      message: 'Where is it?',
      options: [
        ...usable.map(({ id, chain: of }) => ({ value: id, label: labelOf(of), hint: id })),
        { value: ANOTHER, label: 'On another chain' },
      ],
    });
    const source = usable.find(({ id }) => id === picked);
    if (source !== undefined) return { ...source, isNew: false };
    return created(await askChain(answers));
  }
  if (usable.length > 1) {
    const ids = usable.map(({ id }) => id).join(', ');
    throw new UserError('wrong-usage', `Several sources fit (${ids}). Choose one with --source.`);
  }
  if (first !== undefined) return { ...first, isNew: false };
  if (chain !== undefined) return created(chain);
  const [only] = template.chains;
  if (only !== undefined) return created(only);
  if (template.source !== 'evm') return created(template.source);
  return created(await askChain(answers));
}

async function askChain(answers: RuleAnswers): Promise<string> {
  const { prompts } = answers;
  // Most communities are there, and what's found at the contract shows a mistake.
  if (prompts === undefined) return 'eip155:1';
  const chains = [...KNOWN_CHAINS].filter(([chain]) => sourceKindOf(chain) === 'evm');
  const picked = await prompts.select<string>({
    message: 'On which chain?',
    options: [
      ...chains.map(([value, { label }]) => ({ value, label })),
      { value: ANOTHER, label: 'Another one' },
    ],
  });
  if (picked !== ANOTHER) return picked;
  const check = (answer: string) =>
    /^[1-9]\d{0,17}$/.test(answer) ? undefined : 'Enter the chain’s id, such as 59144.';
  return `eip155:${await prompts.text({ message: 'Its chain id', check })}`;
}

function labelOf(chain: string): string {
  return KNOWN_CHAINS.get(chain)?.label ?? chain;
}

/** The sources of a file, as far as they can be understood. */
function sourcesIn(file: RulesNode): NamedSource[] {
  const sources = file.kind === 'map' ? childOf(file, 'sources') : undefined;
  if (sources?.kind !== 'map') return [];
  return sources.entries.flatMap(({ key: id, value }) => {
    const chain = value.kind === 'map' ? childOf(value, 'chain') : undefined;
    if (value.kind !== 'map' || chain?.kind !== 'text') return [];
    const lists = NODES_FIELDS.map((each) => childOf(value, each));
    const variables = lists.flatMap((each) => (each?.kind === 'list' ? each.items : []));
    const names = variables.flatMap((each) => (each.kind === 'text' ? [each.text] : []));
    return [{ id, chain: chain.text, variables: names }];
  });
}
