import Type from 'typebox';
import { answerCheck } from '#sources/node/answer-schema';
import type { NodeCall } from '#sources/node/call';
import type { TokenUnit } from '#sources/source';

const checkAsset = answerCheck(
  Type.Object({
    asset: Type.Object({
      params: Type.Object({
        decimals: Type.Integer({ minimum: 0, maximum: 19 }),
        // Absent if it isn't UTF-8.
        'unit-name': Type.Optional(Type.String({ maxLength: 64 })),
      }),
    }),
  }),
);

/** What an asset says of itself; undefined if there's none. @throws NodeFault */
export async function assetUnit(call: NodeCall, asset: string): Promise<TokenUnit | undefined> {
  const { status, json } = await call.ask({ path: `/v2/assets/${asset}`, isWhole: true });
  if (status === 404) return undefined;
  if (status !== 200) throw call.fault('refused', `answered with ${status}`);
  const { params } = call.check(checkAsset, json).asset;
  return { symbol: params['unit-name'] ?? '', decimals: params.decimals };
}
