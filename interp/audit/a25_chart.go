package audit

var a25 = &Check{
	ID: "A25", Title: "Chart against table",
	What:      "A chart and a table show the same measurement with different labels, order or values.",
	Formula:   "The data of a chart against the cells of its table.",
	Tolerance: "An error.",
	Source:    "Fleming and Wallace 1986.",
	Needs:     "the data of a published chart are not recorded, and a picture can't be read back",
	run:       func(*pass) {},
}
