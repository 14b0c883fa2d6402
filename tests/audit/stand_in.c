// A library of a wheel.
int stand_in(void) { return 1; }
