/**
 * The sentences of generated system prompts, in each language that a profile can choose.
 */
import type { CompleteProfile } from "@cahier/domain/profile/CompleteProfile";

/** What a prompt says, with the names of tools and files put in. */
export interface Phrases {
  readonly duty: string;
  readonly message: (path: string) => string;
  readonly reaches: (commit: string) => string;
  readonly finish: (finish: string) => string;
  readonly handOver: (handoff: string) => string;
  readonly readFirst: (patch: string) => string;
  readonly shell: (shell: string) => string;
  readonly remembered: (root: string) => string;
  readonly usualWay: (steps: ReadonlyArray<string>) => string;
  readonly style: string;
  readonly tools: string;
  readonly skills: string;
  readonly readSkill: (tool: string, path: string) => string;
  readonly agents: string;
  readonly delegatedDuty: string;
  readonly delegatedEnd: (taskReturn: string) => string;
  readonly delegatedStyle: string;
  readonly leftOut: string;
  readonly resultGone: string;
  readonly resultShortened: (chars: number) => string;
}

type Language = CompleteProfile["instructions"]["language"];

const english: Phrases = {
  duty: "You write the next message of a chat. You work in a private workspace of files, with tools; nothing you write there is seen by anybody until you publish it.",
  message: (path) => `The message is the file ${path}. Draft it there, look at it, improve it.`,
  reaches: (commit) =>
    `Only what you publish with ${commit} reaches the reader. Text that you answer without a tool call does not.`,
  finish: (finish) => `When the published text is final, call ${finish}, as the last call of its turn.`,
  handOver: (handoff) =>
    `When your part is done, hand the work over with ${handoff}, as the last call of its turn: another agent finishes it.`,
  readFirst: (patch) => `Read a file before you change it. Prefer ${patch} to rewriting a whole file.`,
  shell: (shell) =>
    `With ${shell} you run commands over your files: to count, search, compare, move, rename or remove many at once, and to compute. For prose the other tools are better.`,
  remembered: (root) =>
    `Files under ${root}/ are remembered: whoever writes the next messages of this chat finds them there. Look there first, and keep there what must not be forgotten.`,
  usualWay: (steps) => `The usual way: ${steps.map((step) => step.replace(" → ", " to ")).join(", then ")}.`,
  style: "Write the message itself and nothing around it: no notes, no headings, no comment on your work.",
  tools: "Your tools:",
  skills: "Skills tell how something is done.",
  readSkill: (tool, path) =>
    ` Before you do what one of these is about, read it with ${tool}${path === "" ? "" : ` (${path})`}:`,
  agents: "Other agents that you can call, with the tool in brackets:",
  delegatedDuty:
    "You work on one task for another agent, in a workspace of files that you share with it. You publish nothing and talk to nobody but that agent.",
  delegatedEnd: (taskReturn) =>
    `When the task is done, or cannot be done, call ${taskReturn}, as the last call of its turn. What you put into it is all that the other agent gets; text that you answer without a tool call is lost.`,
  delegatedStyle: "Do what the task asks and nothing else. Be brief and exact, and name the files that you speak of.",
  leftOut: "Your earliest steps are not shown any more. Your files hold everything that you have written.",
  resultGone: "This result is not shown any more. Call the tool again if you need it.",
  resultShortened: (chars) => `(The beginning of ${chars} characters. Call the tool again for the rest.)`,
};

const chinese: Phrases = {
  duty: "你负责撰写聊天中的下一条消息。你在一个私有的文件工作区里用工具工作；在你发布之前，没有人会看到你写的内容。",
  message: (path) => `消息就是文件 ${path}。在那里起草、检查、修改。`,
  reaches: (commit) => `只有用 ${commit} 发布的内容才会到达读者。没有调用工具而直接回答的文字不会到达读者。`,
  finish: (finish) => `发布的文字定稿之后，调用 ${finish}，并且它必须是该轮的最后一个调用。`,
  handOver: (handoff) =>
    `你的部分完成之后，用 ${handoff} 把工作交给另一个智能体来收尾，并且它必须是该轮的最后一个调用。`,
  readFirst: (patch) => `修改文件之前先读它。优先使用 ${patch}，而不是重写整个文件。`,
  shell: (shell) =>
    `用 ${shell} 可以对你的文件运行命令：统计、搜索、比较，一次移动、重命名或删除许多文件，以及计算。写正文时其他工具更合适。`,
  remembered: (root) =>
    `${root}/ 下的文件会被记住：之后为这个聊天写消息的人会在那里找到它们。先看那里，并把不能忘记的内容保存在那里。`,
  usualWay: (steps) => `通常的做法：${steps.join("，然后 ")}。`,
  style: "只写消息本身，不要附加任何别的东西：不要备注，不要标题，不要评论自己的工作。",
  tools: "你的工具：",
  skills: "技能说明某件事怎样做。",
  readSkill: (tool, path) => `在做与其中某个技能有关的事之前，先用 ${tool}${path === "" ? "" : `（${path}）`} 阅读它：`,
  agents: "你可以调用的其他智能体（括号中是所用的工具）：",
  delegatedDuty: "你在为另一个智能体完成一项任务，与它共用一个文件工作区。你不发布任何内容，也只与那个智能体交流。",
  delegatedEnd: (taskReturn) =>
    `任务完成或无法完成时，调用 ${taskReturn}，并且它必须是该轮的最后一个调用。另一个智能体只能得到你写在其中的内容；没有调用工具而直接回答的文字会丢失。`,
  delegatedStyle: "只做任务要求的事。简短而准确，并写明你所说的文件。",
  leftOut: "你最早的步骤不再显示。你写下的一切都在你的文件里。",
  resultGone: "这个结果不再显示。如有需要，请再次调用该工具。",
  resultShortened: (chars) => `（以上是 ${chars} 个字符的开头。其余部分请再次调用该工具。）`,
};

const phrases: { readonly [Key in Language]: Phrases } = { en: english, zh: chinese };

/** The sentences in the language of a profile. */
export const phrasesOf = (language: Language): Phrases => phrases[language];
