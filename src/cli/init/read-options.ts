import { sanitizeText, UserError } from '#base';
import { CHAIN_FORM } from '#scoring';
import { flagOf } from '#scoring/rules-file';

/** A template that `--rules` names, with its options by flag. */
export interface NamedTemplate {
  readonly name: string;
  readonly values: ReadonlyMap<string, string>;
}

/** `governor contract=0x… ; erc20-holder token=0x… min=10` @throws UserError `wrong-usage` */
export function readRulesOption(text: string): readonly NamedTemplate[] {
  if (text.trim() === 'none') return [];
  return text
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      // A value may have spaces: "cap=500 per 30d".
      const [name = '', ...options] = each.split(/\s+(?=[\w-]+=)/);
      const values = new Map<string, string>();
      for (const option of options) {
        const at = option.indexOf('=');
        values.set(flagOf(option.slice(0, at)), option.slice(at + 1).trim());
      }
      if (/[^\w\s-]/.test(name)) {
        const meant = name.replace(/[^\w\s="'-]+/g, ' ');
        throw new UserError(
          'wrong-usage',
          `--rules: write a template, a space, and its options as name=value, such as "${sanitizeText(meant, 60)}", not "${sanitizeText(name, 60)}".`,
        );
      }
      if (/\s/.test(name)) {
        throw new UserError(
          'wrong-usage',
          `--rules: write options of "${name.split(/\s/)[0]}" as name=value.`,
        );
      }
      return { name, values };
    });
}

/** `eip155:1=https://… solana=https://…`, by chain. @throws UserError `wrong-usage`, without the URLs */
export function readNodesOption(text: string): ReadonlyMap<string, readonly string[]> {
  const nodes = new Map<string, string[]>();
  for (const each of text.split(/\s+/).filter((part) => part !== '')) {
    const [, chain = '', url = ''] = /^([^=]+)=(.+)$/.exec(each) ?? [];
    if (!CHAIN_FORM.test(chain) || !isNodeUrl(url)) {
      throw new UserError(
        'wrong-usage',
        '--nodes must be CHAIN=URL, separated by spaces, such as eip155:1=https://eth.example.org.',
      );
    }
    nodes.set(chain, [...(nodes.get(chain) ?? []), url]);
  }
  return nodes;
}

export function isNodeUrl(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') && !/\s/.test(text);
}
