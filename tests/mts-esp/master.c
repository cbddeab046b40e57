/* A stand-in for the library of MTS-ESP, for tests: its functions for clients, and a master that is set by
   the test, or at the start by the environment variable MTS_TEST_A4, the frequency of A4 in Hertz. */

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static double table[128];
static bool has_master;
static int clients;
static int filtered = -1;

/* Tunes all keys by A4 in Hertz; 0 removes the master. */
void test_set(double a4) {
    for (int key = 0; key < 128; key++)
        table[key] = a4 * exp2((key - 69) / 12.0);
    has_master = a4 > 0;
}

/* The key that is not to be played; -1 for none. */
void test_filter(int key) { filtered = key; }

int test_clients(void) { return clients; }

__attribute__((constructor)) static void start(void) {
    const char *a4 = getenv("MTS_TEST_A4");
    test_set(a4 ? atof(a4) : 0);
}

void MTS_RegisterClient(void) { clients++; }
void MTS_DeregisterClient(void) { clients--; }
bool MTS_HasMaster(void) { return has_master; }
bool MTS_ShouldFilterNote(char note, char channel) { (void)channel; return note == filtered; }
const double *MTS_GetTuningTable(void) { return table; }
const char *MTS_GetScaleName(void) { return "Test scale"; }
