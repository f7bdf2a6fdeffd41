"""The outcome of every stroke by the international laws, written down for the tests, not taken from the product.

A line: row; whose the queen is before (on the board, pend, own, opp); fair or foul stroke; what fell (q queen,
s striker, w own, b opponent's pieces, «?»: or none); own and opponent's pieces left => the turn, the queen after, how
many own pieces come out (n: as many as fell), or who gets how many points when the board ends (before|from 22 on) and
how many more on demand : how sure : laws.
"""

ROWS = """
N01 on   fair none      own    opp    => lose queen on   out 0            : law: 48
N02 on   fair w         own>0  opp>0  => keep queen on   out 0            : law: 48
N03 on   fair b         own>0  opp>0  => lose queen on   out 0            : law: 48 125a
N04 on   fair w+b       own>0  opp>0  => keep queen on   out 0            : two laws: 48
N05 on   fair w+b?      own=0  opp>0  => end other   3|1     ask 0        : law: 107a
N06 on   fair w?+b      own>0  opp=0  => end other   own+3|0 ask 0        : law: 106a
N07 on   fair w+b       own=0  opp=0  => end other   3|1     ask 0        : law: 105a
N08 on   fair s         own    opp    => lose queen on   out 1            : law: 72a 72c
N09 on   fair s+w       own>0  opp>0  => keep queen on   out n+1          : law: 73
N10 on   fair s+b       own>0  opp>0  => lose queen on   out 1            : law: 74
N11 on   fair s+w+b     own>0  opp>0  => keep queen on   out n+1          : law: 75
N12 on   fair s+w+b?    own=0  opp>0  => end other   3|1     ask 1        : law: 108a
N13 on   fair s+w?+b    own>0  opp=0  => end other   own+3|0 ask 1        : law: 111a
N14 on   fair s+w+b     own=0  opp=0  => end other   3|1     ask 1        : two laws: 105a 108a
N21 on   foul none      own    opp    => lose queen on   out 1            : law: 64a
N22 on   foul w         own>0  opp>0  => lose queen on   out n+1          : law: 77a 64b
N23 on   foul b         own>0  opp>0  => lose queen on   out 1            : law: 76
N24 on   foul w+b       own>0  opp>0  => lose queen on   out n+1          : two laws: 76 77a
N25 on   foul w+b?      own=0  opp>0  => end other   3|1     ask 1        : law: 107b
N26 on   foul w?+b      own>0  opp=0  => end other   own+3|0 ask 1        : law: 106b
N27 on   foul w+b       own=0  opp=0  => end other   3|1     ask 1        : law: 105b
N28 on   foul s         own    opp    => lose queen on   out 2            : law: 72b
N29 on   foul s+w       own>0  opp>0  => lose queen on   out n+2          : law: 77b
N30 on   foul s+b       own>0  opp>0  => lose queen on   out 2            : two laws: 72b 76
N31 on   foul s+w+b     own>0  opp>0  => lose queen on   out n+2          : two laws: 76 77b
N32 on   foul s+w+b?    own=0  opp>0  => end other   3|1     ask 2        : law: 108b
N33 on   foul s+w?+b    own>0  opp=0  => end other   own+3|0 ask 2        : law: 111b
N34 on   foul s+w+b     own=0  opp=0  => end other   3|1     ask 2        : two laws: 105b 108b
C01 own  fair none      own    opp    => lose queen own  out 0            : law: 48
C02 own  fair w         own>0  opp>0  => keep queen own  out 0            : law: 48
C03 own  fair b         own>0  opp>0  => lose queen own  out 0            : law: 48 125a
C04 own  fair w+b       own>0  opp>0  => keep queen own  out 0            : two laws: 48
C05 own  fair w+b?      own=0  opp>0  => end striker opp+3|0 ask 0        : law: 52a 53a
C06 own  fair w?+b      own>0  opp=0  => end other   own     ask 0        : two laws: 52a 53a
C07 own  fair w+b       own=0  opp=0  => end striker 3|1     ask 0        : gap: 102a 104a
C08 own  fair s         own    opp    => lose queen own  out 1            : law: 72a
C09 own  fair s+w       own>0  opp>0  => keep queen own  out n+1          : law: 73
C10 own  fair s+b       own>0  opp>0  => lose queen own  out 1            : law: 74
C11 own  fair s+w+b     own>0  opp>0  => keep queen own  out n+1          : law: 75
C12 own  fair s+w+b?    own=0  opp>0  => keep queen own  out n+1          : two laws: 73 75
C13 own  fair s+w?+b    own>0  opp=0  => end other   own     ask 1        : two laws: 52a 53a
C14 own  fair s+w+b     own=0  opp=0  => end other   1       ask 1        : law: 110a
C21 own  foul none      own    opp    => lose queen own  out 1            : law: 64a
C22 own  foul w         own>0  opp>0  => lose queen own  out n+1          : law: 77a
C23 own  foul b         own>0  opp>0  => lose queen own  out 1            : law: 76
C24 own  foul w+b       own>0  opp>0  => lose queen own  out n+1          : two laws: 76 77a
C25 own  foul w+b?      own=0  opp>0  => lose queen own  out n+1          : two laws: 77a 64b
C26 own  foul w?+b      own>0  opp=0  => end other   own     ask 1        : two laws: 52a 53a 76
C27 own  foul w+b       own=0  opp=0  => end other   1       ask 1        : gap: 110b 112b
C28 own  foul s         own    opp    => lose queen own  out 2            : law: 72b
C29 own  foul s+w       own>0  opp>0  => lose queen own  out n+2          : law: 77b
C30 own  foul s+b       own>0  opp>0  => lose queen own  out 2            : two laws: 72b 76
C31 own  foul s+w+b     own>0  opp>0  => lose queen own  out n+2          : two laws: 76 77b
C32 own  foul s+w+b?    own=0  opp>0  => lose queen own  out n+2          : two laws: 77b
C33 own  foul s+w?+b    own>0  opp=0  => end other   own     ask 2        : two laws: 52a 53a
C34 own  foul s+w+b     own=0  opp=0  => end other   1       ask 2        : law: 110b
D01 opp  fair none      own    opp    => lose queen opp  out 0            : law: 48
D02 opp  fair w         own>0  opp>0  => keep queen opp  out 0            : law: 48
D03 opp  fair b         own>0  opp>0  => lose queen opp  out 0            : law: 48 125a
D04 opp  fair w+b       own>0  opp>0  => keep queen opp  out 0            : two laws: 48
D05 opp  fair w+b?      own=0  opp>0  => end striker opp     ask 0        : law: 52a 53a
D06 opp  fair w?+b      own>0  opp=0  => end other   own+3|0 ask 0        : two laws: 52a 53a
D07 opp  fair w+b       own=0  opp=0  => end striker 1       ask 0        : gap: 102a 104a
D08 opp  fair s         own    opp    => lose queen opp  out 1            : law: 72a
D09 opp  fair s+w       own>0  opp>0  => keep queen opp  out n+1          : law: 73
D10 opp  fair s+b       own>0  opp>0  => lose queen opp  out 1            : law: 74
D11 opp  fair s+w+b     own>0  opp>0  => keep queen opp  out n+1          : law: 75
D12 opp  fair s+w+b?    own=0  opp>0  => keep queen opp  out n+1          : two laws: 73 75
D13 opp  fair s+w?+b    own>0  opp=0  => end other   own+3|0 ask 1        : two laws: 52a 53a
D14 opp  fair s+w+b     own=0  opp=0  => end other   3|1     ask 1        : law: 112a
D21 opp  foul none      own    opp    => lose queen opp  out 1            : law: 64a
D22 opp  foul w         own>0  opp>0  => lose queen opp  out n+1          : law: 77a
D23 opp  foul b         own>0  opp>0  => lose queen opp  out 1            : law: 76
D24 opp  foul w+b       own>0  opp>0  => lose queen opp  out n+1          : two laws: 76 77a
D25 opp  foul w+b?      own=0  opp>0  => lose queen opp  out n+1          : two laws: 77a 64b
D26 opp  foul w?+b      own>0  opp=0  => end other   own+3|0 ask 1        : two laws: 52a 53a 76
D27 opp  foul w+b       own=0  opp=0  => end other   3|1     ask 1        : gap: 110b 112b
D28 opp  foul s         own    opp    => lose queen opp  out 2            : law: 72b
D29 opp  foul s+w       own>0  opp>0  => lose queen opp  out n+2          : law: 77b
D30 opp  foul s+b       own>0  opp>0  => lose queen opp  out 2            : two laws: 72b 76
D31 opp  foul s+w+b     own>0  opp>0  => lose queen opp  out n+2          : two laws: 76 77b
D32 opp  foul s+w+b?    own=0  opp>0  => lose queen opp  out n+2          : two laws: 77b
D33 opp  foul s+w?+b    own>0  opp=0  => end other   own+3|0 ask 2        : two laws: 52a 53a
D34 opp  foul s+w+b     own=0  opp=0  => end other   3|1     ask 2        : law: 112b
Q01 on   fair q         own    opp    => keep queen pend out 0            : law: 48 92
Q02 on   fair q+w       own>0  opp>0  => keep queen own  out 0            : law: 97a
Q03 on   fair q+b       own>0  opp>0  => keep queen pend out 0            : gap: 48 125a
Q04 on   fair q+w+b     own>0  opp>0  => keep queen own  out 0            : two laws: 97a 48
Q05 on   fair q+w+b?    own=0  opp>0  => end striker opp+3|0 ask 0        : law: 97a 52a 53a
Q06 on   fair q+b       own>0  opp=0  => end other   own+3|0 ask 0        : gap: 103a 106a
Q07 on   fair q+w+b     own>0  opp=0  => end other   own+3|0 ask 0        : gap: 103a
Q08 on   fair q+w+b     own=0  opp=0  => end striker 3|1     ask 0        : law: 104a
Q09 on   fair q+s       own    opp    => keep queen ret  out 1            : law: 99a
Q10 on   fair q+s+w     own    opp>0  => keep queen ret  out n+1          : law: 98a
Q11 on   fair q+s+b     own>0  opp>0  => keep queen ret  out 1            : gap: 99a 74
Q12 on   fair q+s+w+b   own    opp>0  => keep queen ret  out n+1          : two laws: 98a 75
Q13 on   fair q+s+w?+b  own>0  opp=0  => end other   own+3|0 ask 1        : gap: 111a
Q14 on   fair q+s+w+b   own=0  opp=0  => end other   3|1     ask 1        : law: 109a
Q21 on   foul q         own    opp    => lose queen ret  out 1            : law: 64b
Q22 on   foul q+w       own    opp>0  => lose queen ret  out n+1          : law: 64b 77a
Q23 on   foul q+b       own>0  opp>0  => lose queen ret  out 1            : two laws: 64b 76
Q24 on   foul q+w+b     own    opp>0  => lose queen ret  out n+1          : two laws: 64b 76 77a
Q25 on   foul q+w?+b    own>0  opp=0  => end other   own+3|0 ask 1        : gap: 103b 106b
Q26 on   foul q+w+b     own=0  opp=0  => end other   3|1     ask 1        : law: 104b
Q27 on   foul q+s       own    opp    => lose queen ret  out 2            : law: 99b
Q28 on   foul q+s+w     own    opp>0  => lose queen ret  out n+2          : law: 98b
Q29 on   foul q+s+b     own>0  opp>0  => lose queen ret  out 2            : two laws: 99b 76
Q30 on   foul q+s+w+b   own    opp>0  => lose queen ret  out n+2          : two laws: 98b 76
Q31 on   foul q+s+w?+b  own>0  opp=0  => end other   own+3|0 ask 2        : gap: 111b
Q32 on   foul q+s+w+b   own=0  opp=0  => end other   3|1     ask 2        : law: 109b
V01 pend fair none      own    opp    => lose queen ret  out 0            : law: 96 48
V02 pend fair w         own>0  opp>0  => keep queen own  out 0            : law: 15 48
V03 pend fair b         own>0  opp>0  => lose queen ret  out 0            : two laws: 96 48
V04 pend fair w+b       own>0  opp>0  => keep queen own  out 0            : two laws: 15 48
V05 pend fair w+b?      own=0  opp>0  => end striker opp+3|0 ask 0        : law: 15 52a 53a
V06 pend fair b         own>0  opp=0  => end other   own+3|0 ask 0        : law: 103a
V07 pend fair w+b       own>0  opp=0  => end other   own+3|0 ask 0        : gap: 103a
V08 pend fair w+b       own=0  opp=0  => end striker 3|1     ask 0        : law: 102a
V09 pend fair s         own    opp    => lose queen ret  out 1            : law: 100a
V10 pend fair s+w       own    opp>0  => keep queen pend out n+1          : law: 101a
V11 pend fair s+b       own>0  opp>0  => lose queen ret  out 1            : two laws: 100a 74
V12 pend fair s+w+b     own    opp>0  => keep queen pend out n+1          : two laws: 101a 75
V13 pend fair s+w?+b    own>0  opp=0  => end other   own+3|0 ask 1        : two laws: 103a 111a
V14 pend fair s+w+b     own=0  opp=0  => end other   3|1     ask 1        : gap: 109a
V21 pend foul none      own    opp    => lose queen ret  out 1            : law: 64a 96
V22 pend foul w         own    opp>0  => lose queen ret  out n+1          : two laws: 77a 64b 96
V23 pend foul b         own>0  opp>0  => lose queen ret  out 1            : two laws: 76 96
V24 pend foul w+b       own    opp>0  => lose queen ret  out n+1          : two laws: 76 77a 96
V25 pend foul w?+b      own>0  opp=0  => end other   own+3|0 ask 1        : law: 103b
V26 pend foul w+b       own=0  opp=0  => end other   3|1     ask 1        : law: 102b
V27 pend foul s         own    opp    => lose queen ret  out 2            : law: 100b
V28 pend foul s+w       own    opp>0  => lose queen ret  out n+2          : law: 101b
V29 pend foul s+b       own>0  opp>0  => lose queen ret  out 2            : two laws: 100b 76
V30 pend foul s+w+b     own    opp>0  => lose queen ret  out n+2          : two laws: 101b 76
V31 pend foul s+w?+b    own>0  opp=0  => end other   own+3|0 ask 2        : two laws: 103b 111b
V32 pend foul s+w+b     own=0  opp=0  => end other   3|1     ask 2        : gap: 109b
"""

EARLY = """
X01 all none-yet owes0 fair q         => lose ret  back 0 new 0 : 95a
X02 all any      owes0 fair q+w1      => keep pend back 0 new 0 : 97b
X03 all any      owes0 fair q+w2      => keep own  back 0 new 0 : 97b
X04 all any      owes0 fair q+s       => lose ret  back 0 new 1 : 95d
X05 all any      owes0 fair q+s+w1    => keep ret  back 1 new 1 : 98a
X05 all any      owes0 fair q+s+w2    => keep ret  back 2 new 1 : 98a
X06 all any      owes1 fair q         => lose ret  back 0 new 0 : 95b
X06 all any      owes2 fair q         => lose ret  back 0 new 0 : 95b
X07 all any      owes1 fair q+w1      => lose ret  back 0 new 0 : 95b 78a
X07 all any      owes2 fair q+w1      => lose ret  back 0 new 0 : 95b 78a
X07 all any      owes1 fair q+w2      => lose ret  back 0 new 0 : 95b 78a
X08 all any      owes1 fair q+s       => lose ret  back 0 new 1 : 95b 95d
X09 all any      owes1 fair q+s+w1    => lose ret  back 1 new 1 : 95b 98a
X10 all any      owes0 foul q         => lose ret  back 0 new 1 : 64b 77a
X10 all any      owes0 foul q+w2      => lose ret  back 2 new 1 : 64b 77a
X10 all any      owes1 foul q+w1      => lose ret  back 1 new 1 : 64b 77a
X11 all any      owes0 foul q+s       => lose ret  back 0 new 2 : 98b 99b
X11 all any      owes1 foul q+s+w1    => lose ret  back 1 new 2 : 98b 99b
X12 all had-some owes0 fair q         => keep pend back 0 new 0 : 95c
X12m all had-some owes0 fair q+b1     => keep pend back 0 new 0 : 95c 48 125a
"""
