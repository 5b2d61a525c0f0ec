package ice

import (
	"context"
	"fmt"
	"os/exec"

	"versus/drivers/daemon"
	"versus/drivers/worker"
)

// flush is how often IceStorm delivers what it gathered, in milliseconds: as in
// the comparison of 2005.
const flush = 200

// serveIceStorm runs IceStorm in icebox, a child of this process. All settings
// are arguments, and topics are transient: there is no file to leave behind.
func serveIceStorm(ctx context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	threads := 1
	if n, ok := s.Workload.Options["thread_pool"].(float64); ok {
		threads = int(n)
	}
	d, port, err := daemon.OnFreePort(ctx, s.Host(), "icestorm ready", func(port int) *exec.Cmd {
		return exec.Command("icebox", arguments(s.Host(), port, threads)...)
	})
	if err != nil {
		return worker.Ready{}, nil, fmt.Errorf("the event service: %w", err)
	}
	ready := worker.Ready{
		Addresses: map[string]string{"manager": fmt.Sprintf("Versus/TopicManager:tcp -h %s -p %d", s.Host(), port)},
		Effective: map[string]string{"broker": "IceStorm in icebox", "threads": fmt.Sprint(threads), "flush": fmt.Sprintf("every %d ms", flush)},
		PID:       d.PID,
	}
	return ready, d.Stop, nil
}

// arguments of icebox. The service has a configuration of its own, quoted in one
// of them.
func arguments(host string, port, threads int) []string {
	settings := []string{
		"IceStorm.InstanceName=Versus",
		fmt.Sprintf("IceStorm.TopicManager.Endpoints=tcp -h %s -p %d", host, port),
		"IceStorm.Publish.Endpoints=tcp -h " + host,
		"IceStorm.Transient=1",
		fmt.Sprintf("IceStorm.Flush.Timeout=%d", flush),
	}
	for _, pool := range []string{"IceStorm.TopicManager.ThreadPool", "IceStorm.Publish.ThreadPool", "Ice.ThreadPool.Client"} {
		settings = append(settings, fmt.Sprintf("%s.Size=%d", pool, threads), fmt.Sprintf("%s.SizeMax=%d", pool, threads))
	}
	service := "--IceBox.Service.IceStorm=IceStormService,37:createIceStorm"
	for _, s := range settings {
		service += fmt.Sprintf(" %q", "--"+s)
	}
	return []string{service, "--IceBox.PrintServicesReady=icestorm", "--Ice.Admin.Enabled=0"}
}
