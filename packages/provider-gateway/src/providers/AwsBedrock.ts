/**
 * Amazon Bedrock by its endpoint that is compatible with OpenAI's, with an API key of Bedrock. Its base URL names the
 * region: `https://bedrock-runtime.<region>.amazonaws.com/openai/v1`.
 */
import { compatible } from "./compatible.ts";

export const source = compatible("aws_bedrock", undefined, { replaysReasoning: false });
