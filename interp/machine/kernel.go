package machine

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// hypervisor names what a virtual machine runs on, "" on a real one.
func (m Machine) hypervisor() string {
	flags := strings.Fields(m.entry("proc/cpuinfo", ":", "flags")) // x86 only
	if len(flags) > 0 && !slices.Contains(flags, "hypervisor") {
		return ""
	}
	if name := m.line("sys/hypervisor/type"); name != "" {
		return name
	}
	product := m.line("sys/class/dmi/id/sys_vendor") + " " + m.line("sys/class/dmi/id/product_name")
	for _, known := range []string{"VMware", "VirtualBox", "Virtual Machine", "OpenStack", "Google Compute Engine", "Amazon EC2", "KVM", "QEMU"} {
		if strings.Contains(product, known) && !strings.Contains(product, ".metal") {
			return known
		}
	}
	if len(flags) > 0 {
		return "of a kind that it does not say"
	}
	return ""
}

// muchSteal is the share of CPU time from which a host that takes it is a warning.
const muchSteal = 0.01

// virtualisation looks at what shares the machine unseen.
func (m Machine) virtualisation() []Finding {
	kind := m.hypervisor()
	if kind == "" && m.line("proc/cpuinfo") == "" {
		return unknown("Whether this is a virtual machine can't be read.")
	}
	if kind == "" {
		return fine("No sign of a virtual machine.")
	}
	text := fmt.Sprintf("This is a virtual machine (%s)", kind)
	const effect = "Its host may stop it at any moment, and decides on clock, caches and neighbours: runs differ for reasons that nothing here shows."
	t := m.cpuTime(m.CPUs())
	if t.total() == 0 {
		return found(Note, text+"; what its host takes from it can't be read.", effect, "")
	}
	share := t.stolen / t.total()
	text += fmt.Sprintf("; its host has taken %.2g%% of its CPU time since it started.", share*100)
	if share < muchSteal {
		return found(Note, text, effect, "")
	}
	return found(Warning, text, effect, "Take a machine of your own (a dedicated or metal instance).")
}

// containers are files that only containers of a kind have.
var containers = []struct{ file, kind string }{
	{".dockerenv", "Docker"},
	{"run/.containerenv", "Podman"},
	{"var/run/secrets/kubernetes.io/serviceaccount/namespace", "Kubernetes"},
	{"run/secrets/kubernetes.io/serviceaccount/namespace", "Kubernetes"},
}

// container looks at whether versus sees its machine through a container.
func (m Machine) container() []Finding {
	effect := "Load, pressure and CPU times are those of the whole machine, and other containers share it."
	if m.line("proc/2/comm") != "kthreadd" { // a thread of the kernel, in no container's namespace of processes
		effect = "Of processes, only those of the container can be seen here; load, pressure and CPU times are those of the whole machine, and other containers share it."
	}
	for _, c := range containers {
		if _, err := fs.Stat(m.files, c.file); err == nil {
			return found(Note, fmt.Sprintf("versus runs in a container (%s).", c.kind), effect, "")
		}
	}
	return nil
}

// kernelConfig returns how the kernel was built, "" if it does not say.
func (m Machine) kernelConfig() string {
	if f, err := m.files.Open("proc/config.gz"); err == nil {
		defer f.Close()
		if z, err := gzip.NewReader(f); err == nil {
			if text, err := io.ReadAll(io.LimitReader(z, mostRead)); err == nil {
				return string(text)
			}
		}
	}
	text, _ := m.read("boot/config-" + m.line("proc/sys/kernel/osrelease"))
	return text
}

// setting returns the value of an option of a kernel's configuration: "y", "m",
// a number; "" if it is not set.
func setting(config, name string) string {
	for line := range strings.Lines(config) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+"="); ok {
			return value
		}
	}
	return ""
}

// ticks looks at how often the kernel interrupts a busy CPU.
func (m Machine) ticks() []Finding {
	config := m.kernelConfig()
	hz := setting(config, "CONFIG_HZ")
	if hz == "" {
		return unknown("How often the kernel interrupts each CPU can't be read (no /proc/config.gz, no configuration in /boot).")
	}
	text := fmt.Sprintf("The kernel interrupts a busy CPU %s times a second", hz)
	switch {
	case m.line(cpuDir+"nohz_full") != "" && !strings.Contains(m.line(cpuDir+"nohz_full"), "null"):
		text += ", but not CPUs " + m.line(cpuDir+"nohz_full") + " while they run one thread (nohz_full)"
	case setting(config, "CONFIG_NO_HZ_COMMON") == "y":
		text += ", an idle one not"
	}
	return fine("%s.", text)
}

// shaping looks at what the kernel can do to a link.
func (m Machine) shaping() []Finding {
	config, release := m.kernelConfig(), m.line("proc/sys/kernel/osrelease")
	has := func(option, module string) (yes, known bool) {
		if config != "" {
			return setting(config, option) != "", true
		}
		files, _ := fs.Glob(m.files, "lib/modules/"+release+"/kernel/net/sched/"+module+".ko*")
		return len(files) > 0, false
	}
	netem, known := has("CONFIG_NET_SCH_NETEM", "sch_netem")
	tbf, _ := has("CONFIG_NET_SCH_TBF", "sch_tbf")
	switch {
	case netem && tbf:
		return fine("The kernel can limit the rate of links (tbf) and delay them (netem).")
	case !known:
		return unknown("Whether the kernel can limit links (tbf) and delay them (netem) can't be read; versus tries when a scenario has a link.")
	case tbf:
		return found(Note, "The kernel can limit the rate of links (tbf), but has no netem.",
			"Delay, jitter and loss of links come from a relay of versus instead, which takes CPU time.", "Take a kernel with CONFIG_NET_SCH_NETEM.")
	}
	return found(Note, "The kernel was built without tbf, which limits the rate of a link.",
		"Cells whose link has a rate are skipped.", "Take a kernel with CONFIG_NET_SCH_TBF.")
}

// Numbers of capabilities (capabilities(7)).
const (
	capNetAdmin = 12
	capSysAdmin = 21
)

// namespaces looks at whether versus may make hosts of kind netns.
func (m Machine) namespaces() []Finding {
	mask, err := strconv.ParseUint(m.entry("proc/self/status", ":", "CapEff"), 16, 64)
	if err != nil {
		return unknown("Whether versus may make network namespaces can't be read.")
	}
	if mask&(1<<capSysAdmin) != 0 && mask&(1<<capNetAdmin) != 0 {
		return fine("versus may make network namespaces, for hosts of kind netns.")
	}
	return found(Note, "versus may not make network namespaces: it does not run as root.",
		"Cells on hosts of kind netns are skipped.", "Run versus as root, or in a container with --cap-add SYS_ADMIN --cap-add NET_ADMIN.")
}

// balancing looks for what moves interrupts between CPUs.
func (m Machine) balancing() []Finding {
	pids := m.pids()
	if len(pids) == 0 {
		return unknown("Whether interrupts are moved between CPUs (irqbalance) can't be read: no processes can be seen.")
	}
	for _, pid := range pids {
		if m.line("proc/"+strconv.Itoa(pid)+"/comm") == "irqbalance" {
			return found(Note, "irqbalance runs.", "It moves interrupts between CPUs every 10 s: a CPU that was quiet in one run serves the network card in the next.",
				"sudo systemctl stop irqbalance, and keep interrupts off the CPUs of a scenario: /proc/irq/N/smp_affinity_list")
		}
	}
	return fine("No process that can be seen moves interrupts between CPUs (irqbalance).")
}
