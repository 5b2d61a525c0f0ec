// Package relay carries IP packets between two network devices in both
// directions, each packet after a delay, and loses some: what a kernel's netem
// does, for kernels that have none. It is a process of its own, so that its CPU
// time is nobody else's, and ends when its input does.
//
// lane.go decides when a packet is due and keeps it until then, loop.go moves
// packets between the devices, tun.go makes a device. It limits no rate, which
// the kernel does where packets enter a device, and knows nothing of scenarios:
// interp/host starts it, says what to do, and measures whether it does.
//
// It is made for Linux.
package relay
