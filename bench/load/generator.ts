import { answerParent } from './child.ts';
import { generate, type Plan } from './generate.ts';

/** The generator in a process of its own, so that the measured gateway does not delay it. */
answerParent((plan: Plan) => generate(plan));
