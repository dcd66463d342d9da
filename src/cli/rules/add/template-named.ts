import { nearest, UserError } from '#base';
import { type RuleTemplate, readTemplate, TEMPLATE_NAMES } from '#scoring/rules-file';

/** @throws UserError `wrong-usage` if there's no such template */
export function templateNamed(name: string): RuleTemplate {
  const known = TEMPLATE_NAMES.find((each) => each === name);
  if (known !== undefined) return readTemplate(known);
  const meant = nearest(name, TEMPLATE_NAMES);
  const hint =
    meant === undefined ? '"fathom rules templates" lists them.' : `Did you mean ${meant}?`;
  throw new UserError('wrong-usage', `There is no template "${name}". ${hint}`);
}
