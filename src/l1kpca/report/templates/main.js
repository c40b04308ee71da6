// Put the parts of the page together.

showCutoff();
showFirst();
showTable();
showExport();
showDetail();
showHeat();
showColumns();
showMaps();
showComparison();
showConvergence();
showReference();
