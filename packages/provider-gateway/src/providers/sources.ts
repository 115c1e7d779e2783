/**
 * The sources that the gateway has unless it is given others.
 */
import type { Source } from "../Route.ts";
import * as Anthropic from "./Anthropic.ts";
import * as AwsBedrock from "./AwsBedrock.ts";
import * as Chutes from "./Chutes.ts";
import * as Cohere from "./Cohere.ts";
import * as Custom from "./Custom.ts";
import * as DeepSeek from "./DeepSeek.ts";
import * as Gemini from "./Gemini.ts";
import * as Groq from "./Groq.ts";
import * as MiniMax from "./MiniMax.ts";
import * as Moonshot from "./Moonshot.ts";
import * as NanoGpt from "./NanoGpt.ts";
import * as Ollama from "./Ollama.ts";
import * as OpenAi from "./OpenAi.ts";
import * as OpenRouter from "./OpenRouter.ts";
import * as SiliconFlow from "./SiliconFlow.ts";
import * as VertexAi from "./VertexAi.ts";
import * as WorkersAi from "./WorkersAi.ts";
import * as Zai from "./Zai.ts";

export const sources: ReadonlyArray<Source> = [
  OpenAi.source,
  OpenRouter.source,
  Custom.source,
  Anthropic.source,
  Gemini.source,
  VertexAi.source,
  DeepSeek.source,
  Cohere.source,
  Groq.source,
  Moonshot.source,
  NanoGpt.source,
  Chutes.source,
  SiliconFlow.source,
  WorkersAi.source,
  Zai.source,
  MiniMax.source,
  AwsBedrock.source,
  Ollama.source,
];
