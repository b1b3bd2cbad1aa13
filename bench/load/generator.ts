import { answerParent } from './child.ts';
import { generate, type Plan } from './generate.ts';

/** The generator in a process of its own: it must not wait for its turn behind what it measures. */
answerParent((plan: Plan) => generate(plan));
