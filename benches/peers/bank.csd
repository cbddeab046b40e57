<CsoundSynthesizer>
; Csound's sine bank: $BANKS banks of 32 partials, each bank one native `adsynt2`.
<CsInstruments>
sr     = 48000
ksmps  = 64
nchnls = 1
0dbfs  = 1

; Partial i of a bank: 50 + 320 i Hz, level 1 - i / 64.
gifreq ftgen 0, 0, -32, -7, 50, 32, 10290
giamp  ftgen 0, 0, -32, -7, 1, 32, 0.5
gisine ftgen 0, 0, 1024, 10, 1 ; read without interpolation; the size its manual uses

; Writes the movement that every bank reads, and starts the banks, spread over one octave.
instr Conductor
  kmove   poscil 1, 0.5, gisine
  gkpitch = 1 + 0.01 * kmove
  gklevel = (0.75 + 0.25 * kmove) / (32 * $BANKS)
  ibank   = 0
  while ibank < $BANKS do
    schedule "Bank", 0, p3, 2 ^ (ibank / $BANKS)
    ibank += 1
  od
endin

; Movement reaches each partial through adsynt2's own pitch and level arguments; it ramps
; every partial's amplitude inside the 64 frames.
instr Bank
  out adsynt2(gklevel, gkpitch * p4, gisine, gifreq, giamp, 32)
endin
</CsInstruments>
<CsScore>
i "Conductor" 0 $SECONDS
</CsScore>
</CsoundSynthesizer>
