package lint

var e05 = &Rule{
	ID: "E05", Slug: "no-environment-capture", Severity: Warning,
	What: "A dataset of recorded results does not say on what they were recorded. " +
		"What versus measures itself needs no such argument: every journal has the kernel, the processor, memory, governor and clock, the versions of what was measured, the hash of the program and the environment of each role.",
	Why:     "Numbers without their machine can be neither repeated nor compared with others. If the publication does not say it, the reader should see that.",
	Source:  "Hoefler and Belli 2015 (SC), rule 9: document all factors and the complete set-up. Heiser, Systems benchmarking crimes: missing platform specification.",
	Example: "dataset \"csv\" \"zeroc\" {\n  file = \"data/zeroc_2005_times.csv\"\n}\n",
	Cure:    "dataset \"csv\" \"zeroc\" {\n  file        = \"data/zeroc_2005_times.csv\"\n  environment = \"Pentium 4 2.4 GHz, 512 MB; Fedora Core 3, gcc 3.3.5 -O3 -DNDEBUG\"\n}\n",
	Check: func(p *Pass) {
		for _, d := range p.Scenario.Datasets {
			if d.Environment == "" {
				p.Report(d.Range, "Nothing says on what dataset %s was recorded. Write environment = \"...\": machine, system, versions and flags, or that they were not published.", d.Name)
			}
		}
	},
}
