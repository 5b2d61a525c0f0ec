// Request/response over MQTT with the Paho client for C: the peer of the mqtt
// driver's benchmark.
//
//   cc -O2 -o paho_pair paho_pair.c -lpaho-mqtt3a     (Debian: libpaho-mqtt-dev)
//   paho_pair server tcp://HOST:PORT              prints "ready", serves until its input ends
//   paho_pair client tcp://HOST:PORT BYTES SECONDS   prints calls per second
#include <MQTTAsync.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static MQTTAsync client;
static int is_server;
static int expected;
static sem_t done, answered;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void ok(void *context, MQTTAsync_successData *data) { sem_post(&done); }

static void failed(void *context, MQTTAsync_failureData *data) {
	fprintf(stderr, "paho_pair: failed with code %d\n", data ? data->code : -1);
	exit(1);
}

static void lost(void *context, char *cause) {
	fprintf(stderr, "paho_pair: connection lost\n");
	exit(1);
}

static void send_to(const char *topic, void *payload, int length) {
	MQTTAsync_responseOptions options = MQTTAsync_responseOptions_initializer;
	if (MQTTAsync_send(client, topic, length, payload, 0, 0, &options) != MQTTASYNC_SUCCESS) {
		fprintf(stderr, "paho_pair: can't send\n");
		exit(1);
	}
}

static int arrived(void *context, char *topic, int length, MQTTAsync_message *message) {
	if (is_server) {
		send_to("paho/response", message->payload, message->payloadlen);
	} else if (message->payloadlen != expected) {
		fprintf(stderr, "paho_pair: an answer of %d bytes\n", message->payloadlen);
		exit(1);
	} else {
		sem_post(&answered);
	}
	MQTTAsync_freeMessage(&message);
	MQTTAsync_free(topic);
	return 1;
}

int main(int argc, char **argv) {
	is_server = argc == 3 && strcmp(argv[1], "server") == 0;
	if (!is_server && argc != 5) {
		fprintf(stderr, "usage: paho_pair server URI | client URI BYTES SECONDS\n");
		return 2;
	}
	sem_init(&done, 0, 0);
	sem_init(&answered, 0, 0);
	MQTTAsync_create(&client, argv[2], is_server ? "paho-server" : "paho-client", MQTTCLIENT_PERSISTENCE_NONE, NULL);
	MQTTAsync_setCallbacks(client, NULL, lost, arrived, NULL);
	MQTTAsync_connectOptions connect = MQTTAsync_connectOptions_initializer;
	connect.onSuccess = ok;
	connect.onFailure = failed;
	MQTTAsync_connect(client, &connect);
	sem_wait(&done);
	MQTTAsync_responseOptions options = MQTTAsync_responseOptions_initializer;
	options.onSuccess = ok;
	options.onFailure = failed;
	MQTTAsync_subscribe(client, is_server ? "paho/request" : "paho/response", 0, &options);
	sem_wait(&done);
	if (is_server) {
		char c;
		printf("ready\n");
		fflush(stdout);
		while (read(0, &c, 1) > 0) {
		}
		return 0;
	}
	expected = atoi(argv[3]);
	void *payload = calloc(1, expected + 1);
	long calls = 0;
	double start = 0, end = 0, length = atof(argv[4]);
	for (long i = 0; i <= 100 || end - start < length; i++) {
		send_to("paho/request", payload, expected);
		sem_wait(&answered);
		end = now();
		if (i < 100)
			start = end; // warm-up
		else
			calls++;
	}
	printf("%.1f\n", calls / (end - start));
	return 0;
}
