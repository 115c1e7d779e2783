/**
 * The sources that the gateway has unless it is given others.
 */
import type { Source } from "../Route.ts";
import * as Anthropic from "./Anthropic.ts";
import * as Custom from "./Custom.ts";
import * as Gemini from "./Gemini.ts";
import * as OpenAi from "./OpenAi.ts";
import * as VertexAi from "./VertexAi.ts";

export const sources: ReadonlyArray<Source> = [
  OpenAi.source,
  Anthropic.source,
  Gemini.source,
  VertexAi.source,
  Custom.source,
];
