/**
 * The stories that the sweep can strike, by the names that a worker is told.
 */
import { soloStory } from "./soloStory.ts";
import { teamStory } from "./teamStory.ts";

export const stories = { solo: soloStory, team: teamStory } as const;

export type StoryName = keyof typeof stories;

export const storyNames = Object.keys(stories) as ReadonlyArray<StoryName>;
