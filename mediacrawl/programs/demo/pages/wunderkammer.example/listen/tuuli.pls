[playlist]
NumberOfEntries=1
File1=/lade/tuuli.wv
Title1=Tuuli
Length1=1
Version=2
