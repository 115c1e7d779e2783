/** What a body of each format is made of, in our own words: JSON Schemas that refuse every member that they do not name. */

type Schema = Readonly<Record<string, unknown>>;

const object = (
  required: Readonly<Record<string, unknown>>,
  optional: Readonly<Record<string, unknown>> = {},
): Schema => ({
  type: "object",
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});
const list = (items: unknown): Schema => ({ type: "array", items, minItems: 1 });
const anyOf = (...variants: ReadonlyArray<unknown>): Schema => ({ anyOf: variants });
const text = { type: "string" };
const filled = { type: "string", minLength: 1 };
const flag = { type: "boolean" };
const number = { type: "number" };
const count = { type: "integer", minimum: 0 };
const anyObject = { type: "object" };
const is = (value: unknown): Schema => ({ const: value });
const oneOf = (...values: ReadonlyArray<unknown>): Schema => ({ enum: values });
const levels = oneOf("none", "minimal", "low", "medium", "high", "xhigh", "max");
const verbosity = oneOf("low", "medium", "high");

const openAiChat = object(
  {
    model: filled,
    stream: flag,
    messages: list(
      anyOf(
        object(
          { role: oneOf("system", "developer"), content: anyOf(text, list(object({ type: is("text"), text }))) },
          { name: text },
        ),
        object(
          {
            role: is("user"),
            content: anyOf(
              text,
              list(
                anyOf(
                  object({ type: is("text"), text }),
                  object({ type: is("image_url"), image_url: object({ url: filled }) }),
                  object({ type: is("file"), file: object({ file_data: filled }, { filename: filled }) }),
                ),
              ),
            ),
          },
          { name: text },
        ),
        object(
          { role: is("assistant"), content: anyOf(text, { type: "null" }, list(object({ type: is("text"), text }))) },
          {
            name: text,
            tool_calls: list(
              object({ id: filled, type: is("function"), function: object({ name: filled, arguments: filled }) }),
            ),
          },
        ),
        object({ role: is("tool"), tool_call_id: filled, content: text }),
      ),
    ),
  },
  {
    stream_options: object({ include_usage: is(true) }),
    tools: list(
      object({
        type: is("function"),
        function: object({ name: filled, description: text, parameters: anyObject }, { strict: flag }),
      }),
    ),
    tool_choice: anyOf(
      oneOf("none", "auto", "required"),
      object({ type: is("function"), function: object({ name: filled }) }),
    ),
    temperature: number,
    top_p: number,
    frequency_penalty: number,
    presence_penalty: number,
    seed: count,
    max_completion_tokens: count,
    stop: list(filled),
    reasoning_effort: levels,
    verbosity,
    parallel_tool_calls: flag,
  },
);

const openAiResponses = object(
  {
    model: filled,
    stream: flag,
    store: is(false),
    include: is(["reasoning.encrypted_content"]),
    input: list(
      anyOf(
        object({
          type: is("message"),
          role: oneOf("developer", "user"),
          content: list(
            anyOf(
              object({ type: is("input_text"), text: filled }),
              object({ type: is("input_image"), image_url: filled, detail: is("auto") }),
              object({ type: is("input_file"), filename: filled, file_data: filled }),
            ),
          ),
        }),
        object({ type: is("message"), role: is("assistant"), content: filled }),
        object({ type: is("function_call"), call_id: filled, name: filled, arguments: filled }),
        object({ type: is("function_call_output"), call_id: filled, output: text }),
        // Items of the server's own go back as they came.
        { type: "object", properties: { type: filled, id: filled }, required: ["type", "id"] },
      ),
    ),
  },
  {
    tools: list(object({ type: is("function"), name: filled, description: text, parameters: anyObject, strict: flag })),
    tool_choice: anyOf(oneOf("none", "auto", "required"), object({ type: is("function"), name: filled })),
    temperature: number,
    top_p: number,
    max_output_tokens: count,
    reasoning: object({}, { effort: levels, summary: oneOf("auto", "concise", "detailed") }),
    text: object({ verbosity }),
    parallel_tool_calls: flag,
  },
);

const source = object({ type: is("base64"), media_type: filled, data: filled });

/** A block up to which the prompt is to be kept. */
const mark = { cache_control: object({ type: is("ephemeral"), ttl: oneOf("5m", "1h") }) };

const anthropicMessages = object(
  {
    model: filled,
    stream: flag,
    max_tokens: { type: "integer", minimum: 1 },
    messages: list(
      object({
        role: oneOf("user", "assistant"),
        content: list(
          anyOf(
            object({ type: is("text"), text: filled }, mark),
            object({ type: oneOf("image", "document"), source }, mark),
            object({ type: is("tool_use"), id: filled, name: filled, input: anyObject }),
            object({ type: is("tool_result"), tool_use_id: filled }, { content: filled, is_error: is(true), ...mark }),
            object({ type: is("thinking"), thinking: text, signature: filled }),
            object({ type: is("redacted_thinking"), data: filled }),
          ),
        ),
      }),
    ),
  },
  {
    system: list(object({ type: is("text"), text: filled }, mark)),
    tools: list(object({ name: filled, description: text, input_schema: anyObject }, mark)),
    tool_choice: anyOf(
      object({ type: oneOf("auto", "any") }, { disable_parallel_tool_use: flag }),
      object({ type: is("none") }),
      object({ type: is("tool"), name: filled }, { disable_parallel_tool_use: flag }),
    ),
    temperature: number,
    top_p: number,
    top_k: count,
    stop_sequences: list(filled),
    thinking: anyOf(
      object({ type: is("enabled"), budget_tokens: { type: "integer", minimum: 1024 } }, { display: filled }),
      object({ type: oneOf("adaptive", "disabled") }, { display: filled }),
    ),
    output_config: object({ effort: levels }),
  },
);

const geminiGenerateContent = object(
  {
    contents: list(
      object({
        role: oneOf("user", "model"),
        parts: list(
          anyOf(
            object({ text: filled }, { thought: flag, thoughtSignature: filled }),
            object({ inlineData: object({ mimeType: filled, data: filled }) }),
            object(
              { functionCall: object({ name: filled, args: anyObject }, { id: filled }) },
              { thoughtSignature: filled },
            ),
            object({ functionResponse: object({ name: filled, response: anyObject }, { id: filled }) }),
          ),
        ),
      }),
    ),
    safetySettings: list(object({ category: filled, threshold: filled })),
  },
  {
    systemInstruction: object({ parts: list(object({ text: filled })) }, { role: text }),
    generationConfig: object(
      {},
      {
        temperature: number,
        topP: number,
        topK: count,
        seed: count,
        frequencyPenalty: number,
        presencePenalty: number,
        maxOutputTokens: count,
        stopSequences: list(filled),
        thinkingConfig: object({}, { thinkingBudget: number, thinkingLevel: filled, includeThoughts: flag }),
      },
    ),
    toolConfig: object({
      functionCallingConfig: object({ mode: oneOf("AUTO", "ANY", "NONE") }, { allowedFunctionNames: list(filled) }),
    }),
    tools: list(
      object({ functionDeclarations: list(object({ name: filled, description: text }, { parameters: anyObject })) }),
    ),
  },
);

const content = list(
  anyOf(
    object({ type: is("text"), text: filled }),
    object({ type: oneOf("image", "document"), mime_type: filled, data: filled }),
  ),
);

const geminiInteractions = object(
  {
    model: filled,
    stream: flag,
    store: is(false),
    input: list(
      anyOf(
        object({ type: oneOf("user_input", "model_output"), content }),
        object({ type: is("function_call"), id: filled, name: filled, arguments: anyObject }),
        object({ type: is("function_result"), call_id: filled, name: filled, result: text }, { is_error: is(true) }),
        object({ type: is("thought"), signature: filled }, { summary: content }),
      ),
    ),
  },
  {
    system_instruction: filled,
    generation_config: object(
      {},
      {
        temperature: number,
        seed: count,
        max_output_tokens: count,
        stop_sequences: list(filled),
        thinking_level: filled,
        thinking_summaries: oneOf("auto", "none"),
        tool_choice: anyOf(
          oneOf("auto", "any", "none"),
          object({ allowed_tools: object({ mode: is("any"), tools: list(filled) }) }),
        ),
      },
    ),
    tools: list(object({ type: is("function"), name: filled, description: text }, { parameters: anyObject })),
  },
);

export const expectedBodies: Readonly<Record<string, Schema>> = {
  "anthropic-messages": anthropicMessages,
  "gemini-generate-content": geminiGenerateContent,
  "gemini-interactions": geminiInteractions,
  "openai-chat": openAiChat,
  "openai-responses": openAiResponses,
};
