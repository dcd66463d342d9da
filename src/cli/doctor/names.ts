import type { Config } from '#app';
import { type CheckFinding, messageOf, ok, warn } from '#base';

/** Whether the name services that are configured can be asked. They're optional, so none is missed. */
export async function checkNames(config: Config): Promise<CheckFinding[]> {
  const { demo, ethereumRpcUrl, solanaRpcUrl, nfdApiUrl, privateNetworks } = config;
  if (demo || (ethereumRpcUrl ?? solanaRpcUrl ?? nfdApiUrl) === undefined) return [];
  const [{ checkNameServices }, { TargetGuard }] = await Promise.all([
    import('#names/services'),
    import('#base/json-http'),
  ]);
  const results = await checkNameServices(config, new TargetGuard({ privateNetworks }));
  return results.map(({ service, error }) => {
    const subject = `${service} names`;
    if (error === undefined) return ok(subject, 'can be looked up');
    return warn(subject, `can't be looked up, so addresses are shown. ${messageOf(error)}`);
  });
}
