// Put the parts of the page together.

showCutoff();
showTable();
showDetail();
showMaps();
showComparison();
showConvergence();
