// Nothing: the target of this file makes the precompiled header of the others.
