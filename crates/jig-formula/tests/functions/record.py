"""Records what LibreOffice computes for generated calls of spreadsheet functions.

Writes one file NAME.tsv per function below (formula, kind, value, and `held out` where it applies) over the cells of
grid.tsv, which it writes too. The cases are drawn with fixed seeds, so a second run writes the same files. Held-out
cases must not be looked at while deciding which arguments are computed: they show how well the decision generalizes.
`cargo xtask formulas --record` runs this script.

Needs openpyxl and soffice: python3 record.py [NAME…]
"""
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import openpyxl
from openpyxl.utils.datetime import to_excel

HERE = pathlib.Path(__file__).parent
CASES = 60
HELD_OUT = 40

GRID = {
    "Data": {
        "A": [3, 1, 4, 1, 5, 9, 2, 6],
        "B": [-2.5, 0.5, 10, 100, 0, 7.25, -3, 12],
        "C": [1, "x", True, None, "3", 2.5, "", -1],
        "D": ["apple", "Banana", "cherry", "apple pie", "a-b-c", "10", " Date ", "Zebra"],
        "E": [45000, 45031.5, 44927, 36526, 43831, 45291, 40000, 61],
        "F": [1, 2, 3, 5, 8, 13, 21, 34],
        "G": ["alpha", "beta", "delta", "gamma", "kappa", "omega", "sigma", "theta"],
        "H": ["#DIV/0!", "#N/A", 1, 2],
        "I": [True, False, True, True],
        "K": [0.25, 0.5, 0.75, 0.1, 0.9, 0.05, 0.95, 0.6],
    },
    "Other": {"A": [10, 20, 30, 40, 50, 60, 70, 80], "B": ["ten", "twenty", "thirty", "ten", "fifty", "x", "y", "z"]},
}

# What an argument can be. The first list of a kind has the usual values, the second the odd ones.
KINDS = {
    "num": (
        ["2", "3.7", "-1.5", "A1", "A3", "B1", "B2", "Other!A2", "A1+B2", "10", "1234.565", "0.1+0.2", "2.675", "A1/B6", "SUM(A1:A3)"],
        ["0", "J1", "D6", '"3"', "TRUE", "I2", "D1", "H1", "H2", "1E+10", "E1", "C7"],
    ),
    "pos": (["2", "3.5", "A1", "A6", "F5", "Other!A3", "0.5", "K2"], ["0", "-1", "J1", "D6", "TRUE", "D1", "H1", "100"]),
    "unit": (["0.5", "0.25", "K1", "K3", "K5", "0.99"], ["0", "1", "-0.5", "2", "J1", "D1", "H2", '"0.5"']),
    "int": (["1", "2", "3", "A2", "A1", "4"], ["0", "-1", "2.9", "J1", "D6", "D1", "H1", "TRUE"]),
    "digits": (["0", "1", "2", "-1", "A2"], ["-3", "J1", "D6", "D1", "H2", "2.7"]),
    "text": (['"Hello World"', "D1", "D2", "D4", "D5", "Other!B2", '"a,b,a"'], ["D7", "A1", "B1", "J1", '""', "TRUE", "H1", "C7"]),
    "find": (['"a"', '"p"', '"an"', '"-"', '"l"'], ['"zz"', "D1", "A1", "H1", '"A"']),
    "date": (["E1", "E3", "E4", "E5", "DATE(2024,2,29)", "45292", "45382", "45443", "DATE(2023,2,28)", "DATE(2024,12,31)", "E1+30"], ["E2", "E8", "J1", "0", "-1", "D1", "H2", "E7"]),
    "range": (
        ["A1:A8", "B1:B8", "A1:B8", "Other!A1:A8", "F1:F8", "A2:B4", "E1:E8", "A:A", "Other!A:A"],
        ["C1:C8", "J1:J4", "D1:D8", "H1:H4", "I1:I4", "A1", "A1:J1", "C1:D8"],
    ),
    "numbers": (["A1:A8", "B1:B8", "F1:F8", "Other!A1:A8", "A1:B8"], ["C1:C8", "J1:J4", "D1:D8", "H1:H4", "A1"]),
    "pair": (["A1:A8", "B1:B8", "F1:F8", "Other!A1:A8", "K1:K8"], ["C1:C8", "J1:J8", "A1:A4", "D1:D8"]),
    "column": (["A1:A8", "B1:B8", "D1:D8", "Other!A1:A8", "F1:F8"], ["C1:C8", "I1:I8", "A:A", "D:D"]),
    "criterion": (
        ['">3"', "4", '"apple"', '"<=2"', '"a*"', "A2", '"<>1"', '">="&A1', "D2", '"=5"'],
        ['"?pple"', "J1", '""', '"10"', "10", "TRUE", '"x"', '"<>"', '"~*"'],
    ),
    "cond": (["A1>2", "TRUE", "FALSE", "B1>=0", 'D1="apple"', "1", "A1=B1"], ["0", "J1", "D1", "H1", '"TRUE"', "I2"]),
    "any": (["1", '"x"', "A1", "D1", "A1*2", "TRUE", "Other!B1", "B2"], ["J1", "H1", "H2", "C7", "E1", "NA()"]),
    "sorted": (["F1:F8"], []),
    "key": (["5", "13", "1", "F3", "21"], ["4", "0.5", "100", "D1", "J1", "H1"]),
    "unsorted": (["A1:A8", "D1:D8", "F1:F8", "Other!B1:B8", "G1:G8"], ["C1:C8", "B1:B8"]),
    "lookup": (["5", '"cherry"', "A5", "D3", '"ten"', "8", '"gamma"'], ["7", '"CHERRY"', "J1", "H1", "TRUE", '"a*"', '"ch?rry"']),
    "table": (["A1:B8", "F1:G8", "A1:D8", "Other!A1:B8", "Other!A:B", "$F:$G"], ["A1:A8"]),
    "format": (['"0.00"', '"#,##0"', '"0%"', '"0"', '"#,##0.00"', '"000"', '"0.0"'], ['"@"', '"0.00%"']),
    "dateformat": (['"yyyy-mm-dd"', '"d.m.yyyy"', '"dd/mm/yy"', '"yyyy"', '"hh:mm"', '"yyyy-mm"', '"hh:mm:ss"', '"d/m/yyyy h:mm"'], ['"mmm yyyy"', '"mmmm d"', '"dddd"']),
    "rate": (["0.05", "0.1", "0.05/12", "K4", "0.08"], ["0", "-0.1", "J1", "D1", "H1"]),
    "periods": (["12", "10", "60", "F5", "5"], ["0", "1", "-5", "J1", "D1"]),
    "money": (["1000", "-200", "Other!A4", "5000", "-100.5"], ["0", "J1", "D1", "H1", '"100"']),
    "flag": (["0", "1"], ["TRUE", "FALSE", "J1"]),
    "exact": (["FALSE", "0"], []),
    "unicode": (["65", "97", "48", "8364"], ["0", "-1", "D1", "J1"]),
}

# Function: the kinds of its arguments; `?` may be left out, `*` may be repeated.
FUNCTIONS = {
    "ABS": "num", "SIGN": "num", "INT": "num", "SQRT": "pos", "EXP": "num", "LN": "pos", "LOG10": "pos", "LOG": "pos pos?",
    "POWER": "num int", "MOD": "num num", "QUOTIENT": "num num", "ROUND": "num digits", "ROUNDUP": "num digits",
    "ROUNDDOWN": "num digits", "TRUNC": "num digits?", "MROUND": "pos pos", "CEILING": "pos pos", "FLOOR": "pos pos",
    "EVEN": "num", "ODD": "num", "FACT": "int", "COMBIN": "int int", "GCD": "int int", "LCM": "int int", "PI": "",
    "SIN": "num", "COS": "num", "TAN": "num", "ASIN": "unit", "ACOS": "unit", "ATAN": "num", "ATAN2": "num num",
    "SINH": "num", "COSH": "num", "TANH": "num", "DEGREES": "num", "RADIANS": "num", "SUMSQ": "numbers num?",
    "SUM": "range range? num?", "PRODUCT": "numbers num?", "AVERAGE": "range num?", "AVERAGEA": "numbers", "COUNT": "range range?",
    "COUNTA": "range range?", "COUNTBLANK": "numbers", "MIN": "range num?", "MAX": "range num?", "MINA": "numbers|positive", "MAXA": "numbers|positive",
    "MEDIAN": "numbers", "MODE": "numbers|repeated", "LARGE": "numbers int", "SMALL": "numbers int", "RANK": "num numbers flag?|ranked",
    "STDEV": "numbers", "STDEVP": "numbers", "VAR": "numbers", "VARP": "numbers", "STDEV.S": "numbers", "STDEV.P": "numbers",
    "VAR.S": "numbers", "VAR.P": "numbers", "AVEDEV": "numbers", "DEVSQ": "numbers", "GEOMEAN": "numbers|positive", "HARMEAN": "numbers|positive",
    "PERCENTILE": "numbers unit", "QUARTILE": "numbers int", "PERCENTILE.INC": "numbers unit", "QUARTILE.INC": "numbers int",
    "SKEW": "numbers", "KURT": "numbers", "CORREL": "pair pair", "SLOPE": "pair pair", "INTERCEPT": "pair pair", "RSQ": "pair pair",
    "PEARSON": "pair pair", "COVAR": "pair pair", "SUMX2MY2": "pair pair", "SUMX2PY2": "pair pair", "SUMXMY2": "pair pair",
    "FORECAST": "num pair pair", "STEYX": "pair pair", "SUMPRODUCT": "pair pair?", "SUBTOTAL": "subtotal numbers",
    "SUMIF": "column criterion column?", "COUNTIF": "column criterion", "AVERAGEIF": "column criterion column?",
    "SUMIFS": "pair column criterion|pair column criterion column criterion", "COUNTIFS": "column criterion|column criterion column criterion", "AVERAGEIFS": "pair column criterion",
    "MAXIFS": "pair column criterion", "MINIFS": "pair column criterion",
    "IF": "cond any any?|cond omitted any", "AND": "cond cond? cond?", "OR": "cond cond? cond?", "NOT": "cond", "XOR": "cond cond?",
    "IFERROR": "any any", "IFNA": "any any", "IFS": "cond any cond any", "SWITCH": "int int any any?", "TRUE": "", "FALSE": "", "NA": "",
    "ISNUMBER": "any", "ISTEXT": "any", "ISBLANK": "any", "ISERROR": "any", "ISERR": "any", "ISNA": "any", "ISLOGICAL": "any",
    "ISNONTEXT": "any", "ISEVEN": "num", "ISODD": "num", "N": "any", "TYPE": "any", "ERROR.TYPE": "any", "ISREF": "any",
    "LEN": "text", "LEFT": "text int?", "RIGHT": "text int?", "MID": "text int int", "UPPER": "text", "LOWER": "text",
    "PROPER": "text", "TRIM": "text", "CLEAN": "text", "CONCATENATE": "text text num?", "CONCAT": "text text? range?",
    "TEXTJOIN": "find flag text text", "REPT": "text int", "SUBSTITUTE": "text find find int?", "REPLACE": "text int int find",
    "FIND": "find text int?", "SEARCH": "find text int?", "EXACT": "text text", "VALUE": "text", "T": "any", "CHAR": "unicode",
    "CODE": "text", "UNICHAR": "unicode", "UNICODE": "text", "TEXT": "num format|date dateformat|money format|moment dateformat", "FIXED": "num digits flag?",
    "NUMBERVALUE": "text",
    "DATE": "year int int", "YEAR": "date", "MONTH": "date", "DAY": "date", "HOUR": "date|moment", "MINUTE": "date|moment", "SECOND": "date|moment",
    "TIME": "int int int", "WEEKDAY": "date weekday?", "ISOWEEKNUM": "date", "EDATE": "date int",
    "EOMONTH": "date int", "DAYS": "date date", "DAYS360": "date date", "DATEDIF": "date date unitname", "NETWORKDAYS": "date date",
    "WORKDAY": "date int", "YEARFRAC": "date date basis?", "DATEVALUE": "datetext", "TIMEVALUE": "timetext",
    "INDEX": "table int int?", "MATCH": "lookup unsorted zero|key sorted one|key sorted",
    "VLOOKUP": "lookup table int exact|key ladder int true|key ladder int", "HLOOKUP": "lookup table int exact",
    "LOOKUP": "key sorted sorted?", "CHOOSE": "int any any any?", "ROW": "cell", "COLUMN": "cell", "ROWS": "range", "COLUMNS": "range",
    "ADDRESS": "int int", "XLOOKUP": "lookup unsorted pair|lookup unsorted pair any", "XMATCH": "lookup unsorted",
    "OFFSET": "anchor step step", "INDIRECT": "address",
    "PMT": "rate periods money money? flag?|rate periods money omitted flag", "FV": "rate periods money money? flag?|rate periods omitted money",
    "PV": "rate periods money money? flag?|rate periods omitted money", "NPER": "rate money money",
    "RATE": "periods money money|loan", "NPV": "rate numbers", "IRR": "flows|flows rate", "IPMT": "rate int periods money", "PPMT": "rate int periods money",
    "SLN": "money money periods", "SYD": "money money periods int",
    "EFFECT": "rate int", "NOMINAL": "rate int", "CUMIPMT": "rate periods money int int flag", "CUMPRINC": "rate periods money int int flag",
    "MIRR": "flows rate rate",
    "NORM.DIST": "num num pos flag", "NORM.S.DIST": "num flag", "NORM.INV": "unit num pos", "NORM.S.INV": "unit", "NORMSDIST": "num",
    "BIN2DEC": "binary", "DEC2BIN": "int int?", "HEX2DEC": "hex", "DEC2HEX": "int int?", "BITAND": "int int", "BITOR": "int int",
    "CEILING.MATH": "num pos?", "FLOOR.MATH": "num pos?", "PERMUT": "int int", "TRIMMEAN": "numbers unit", "RANK.EQ": "num numbers flag?|ranked",
    "COVARIANCE.P": "pair pair", "COVARIANCE.S": "pair pair", "FORECAST.LINEAR": "num pair pair", "MODE.SNGL": "numbers|repeated",
    "XNPV": "rate cash days", "XIRR": "cash days", "BINOM.DIST": "int periods unit flag", "POISSON.DIST": "int pos flag",
    "NETWORKDAYS.INTL": "date date weekend?", "WORKDAY.INTL": "date int weekend?", "HYPERLINK": "text text?", "DOLLAR": "num digits?",
    "SUMPRODUCT": "pair pair?|masked", "VARA": "numbers", "STDEVA": "numbers", "LENB": "text",
    "COTH": "pos", "COT": "pos", "ASINH": "num", "ACOSH": "pos", "ATANH": "unit", "SQRTPI": "pos",
    "DEC2OCT": "int int?", "HEX2BIN": "binary", "BIN2HEX": "binary", "DELTA": "num num?", "GESTEP": "num num?",
    "RRI": "periods money money", "PDURATION": "rate money money", "ISPMT": "rate int periods money", "FVSCHEDULE": "money rates",
    "DOLLARDE": "pos int", "DOLLARFR": "pos int", "STANDARDIZE": "num num pos", "FISHER": "unit", "PHI": "num",
    "BITXOR": "int int", "BASE": "int radix", "DECIMAL": "hex radix", "ROMAN": "int", "ARABIC": "roman",
    "TRANSPOSE": "range", "SEQUENCE": "rows rows? start? start?",
}
KINDS.update({
    "subtotal": (["9", "1", "2", "3", "4", "5", "109"], ["6", "102", "12", "J1"]),
    "year": (["2024", "1999", "2000", "1904"], ["1900", "99", "J1", "D1", "10000", "-1", "H1"]),
    "weekday": (["1", "2", "3"], ["11", "17", "0", "5", "J1"]),
    "basis": (["0", "1", "2", "3", "4"], ["5", "7", "J1"]),
    "unitname": (['"d"', '"m"', '"y"'], ['"ym"', '"md"', '"yd"', '"x"']),
    "datetext": (['"2024-01-31"', '"2000-02-29"', '"1999-12-31"'], ['"x"', "J1", "D1", "A1", '"2023-02-30"']),
    "timetext": (['"12:30"', '"06:15:30"', '"23:59"'], ['"x"', "J1", "A1", '"24:00"']),
    "zero": (["0"], []),
    "omitted": ([""], []),
    "positive": (["A1:A8", "F1:F8", "Other!A1:A8", "F2:F3", "{1,2,4}", "K1:K8", "F2:F5", "Other!A2:A5", "E1:E8", "{0.5,8}", "A5:A8"], []),
    "ranked": (["A1,A1:A8", "A3,A1:A8", "B2,B1:B8", "F5,F1:F8,1", "A6,$A$1:$A$8,0", "Other!A3,Other!A1:A8", "5,A1:A8", "13,F1:F8,1",
                "MAX(A1:A8),A1:A8", "B6,B1:B8,1", "A2,A1:A8,1", "A2,A1:A8", "100,A1:B8", "E1,E1:E8", "K2,K1:K8,1", "F8,F1:F8"], []),
    "repeated": (["A1:A8", "A1:B8", "{1,2,2,3}", "{5,5,1}", "A1:A8,A1:A4", "{1,1,2,2}", "A2:A4", "A1:A4,1", "F1:F8,8", "{3,4,4}", "A1:A8,9,9"], []),
    "loan": (["60,-200,9000", "12,-100,1000", "360,-1200,200000", "10,-150,1000", "24,-50,1000", "48,-30.5,1200", "F5,-150,1000", "36,-Other!A4,1000",
              "5,-250,1000", "120,-1100,100000", "60,-200,9000,0,1", "12,-90,1000"], []),
    "moment": (["0.5001", "TIME(12,30,15)", "TIME(23,59,59)", "E1+TIME(1,2,3)", "0.999999", "K1", "K4", "E1+TIME(8,45,0)", "TIME(17,20,1)"], ["K6", "0.00001"]),
    "anchor": (["A1", "Other!A1", "B2", "$D$1"], ["H1"]),
    "step": (["0", "1", "2", "A2", "3"], ["J1", "-1", "1.5", "D1"]),
    "address": (['"A1"', '"Other!A2"', '"$B$3"', '"A"&A1', '"B"&(A2+1)', '"Other!B"&A3'], ['"x y"', "J1", "D1", '"H1"']),
    "weekend": (["1", "2", "7", "11"], ["17", "0", "J1"]),
    "cash": (["C10:C13", "{-100,30,40,60}", "{-1000,500,400,300}", "{-200,50,80,120}"], ["A1:A4", "J1:J4"]),
    "days": (["{45000,45100,45200,45400}", "{45000,45365,45730,46095}", "{43831,44000,44300,44600}"], ["A1:A3", "D1:D4"]),
    "rates": (["K1:K3", "{0.05,0.06}", "K4:K6"], ["J1:J3", "D1:D2"]),
    "masked": (["(A1:A8>2)*B1:B8", "--(A1:A8>2)", "(A1:A8=1)*(B1:B8>0)", "(A1:A8>2)*1,F1:F8", '(D1:D8="apple")*A1:A8', "A1:A8*B1:B8",
                "Other!A1:A8*A1:A8", "(F1:F8>=3)*(F1:F8<=13)*F1:F8", "A1:A8/F1:F8"], ["(I1:I4=TRUE)*A1:A4", "(C1:C8>1)*A1:A8", "D1:D8*A1:A8"]),
    "one": (["1"], []),
    "true": (["TRUE", "1"], []),
    "ladder": (["F1:G8", "$F$1:$G$8"], []),
    "cell": (["A1", "C7", "Other!B3", "A1:A3"], ["A:A", "3:3"]),
    "flows": (["B1:B8", "C10:C13", "{-100,30,40,60}", "{-1000,500,400,300}", "{-5000,1500,1500,1500,1500}", "{-200,50,80,120}"], ["A1:A8", "J1:J4", "D1:D8"]),
    "binary": (['"1010"', "101", '"1"', "A2"], ['"2"', "D1", "J1", '"11111111111"']),
    "hex": (['"1F"', '"a"', "10", '"FF"'], ['"G"', "D1", "J1", '""']),
    "rows": (["2", "3", "A1", "A3", "5", "Other!A1"], ["1", "0", "-1", "2.5", "J1"]),
    "start": (["2", "10", "0.5", "-1", "B2", "Other!A2", "A5"], ["0", "J1", "D6", "D1", "H1", "TRUE"]),
    "radix": (["2", "16", "10", "36"], ["1", "37", "J1", "D1"]),
    "roman": (['"XIV"', '"MCMXC"', '"iv"'], ['"x1"', "D1", "J1", '""']),
})

# Functions that give many values: what takes them.
TAKEN_BY = {
    "TRANSPOSE": ["SUM({})", "INDEX({},1,2)", "INDEX({},2,1)", "MAX({})", "COUNT({})", "COUNTA({})", "AVERAGE({})", "INDEX({},1,1)", "SUMPRODUCT({}*2)", "MIN({})-1"],
    "SEQUENCE": ["SUM({})", "INDEX({},1,2)", "INDEX({},2,1)", "MAX({})", "COUNT({})", "AVERAGE({})", "INDEX({},2,2)", "SUMPRODUCT({}*2)", "MIN({})-1", "INDEX({},1,1)"],
}

NEW = set(
    "IFNA IFS SWITCH XOR STDEV.S STDEV.P VAR.S VAR.P MAXIFS MINIFS CONCAT TEXTJOIN XLOOKUP XMATCH BASE DECIMAL BITAND BITOR BITXOR "
    "UNICHAR UNICODE NUMBERVALUE ISOWEEKNUM DAYS NORM.DIST NORM.S.DIST NORM.INV NORM.S.INV PERCENTILE.INC QUARTILE.INC ARABIC "
    "CEILING.MATH FLOOR.MATH RANK.EQ COVARIANCE.P COVARIANCE.S FORECAST.LINEAR MODE.SNGL BINOM.DIST POISSON.DIST PERCENTRANK.INC COTH COT "
    "COMBINA RRI PDURATION GAUSS PHI SEQUENCE".split()
)


OPERATORS = ["+", "-", "*", "/", "^", "&", "=", "<>", "<", ">", "<=", ">="]
OPERANDS = ["2", "-1.5", "A1", "B2", "C5", "D1", "D6", "J1", "I1", "I2", "H1", "H2", "C2", "E1", "Other!A2", "Other!B1", '"x"', '"3"', '""', "TRUE", "K3", "0"]


def operator_cases(seed, count, known=()):
    rng = random.Random(seed)
    found = [] if known else ["-A1", "-D6", "-J1", "-I1", "-D1", "A1%", "--D6", "+D1", "A1*-1", "2^-1", "-2^2", "A1=J1", 'J1=""', "J1=0", "D1=\"APPLE\""]
    while len(found) < count:
        formula = rng.choice(OPERANDS) + rng.choice(OPERATORS) + rng.choice(OPERANDS)
        if rng.random() < 0.2:
            formula = f"({formula})" + rng.choice(OPERATORS) + rng.choice(OPERANDS)
        if formula not in found and formula not in known:
            found.append(formula)
    return found


def argument(kind, rng, odd):
    usual, others = KINDS[kind]
    return rng.choice(others if odd and others else usual)


def cases(name, kinds, seed, count, known=()):
    rng = random.Random(seed)
    choices = [choice.split() for choice in kinds.split("|")]
    kinds = choices[0]
    found, tries = [], 0
    while len(found) < count and tries < 2000:
        tries += 1
        kinds = rng.choice(choices)
        # Mostly usual arguments, and in every third case one that is odd.
        odd = rng.randrange(len(kinds)) if kinds and rng.random() < 0.4 else None
        arguments = []
        for place, kind in enumerate(kinds):
            if kind.endswith("?") and rng.random() < 0.4:
                break
            arguments.append(argument(kind.rstrip("?"), rng, place == odd))
        call = f"{name}({','.join(arguments)})"
        if name in TAKEN_BY:
            call = rng.choice(TAKEN_BY[name]).format(call)
        # Inside of other formulas too.
        if rng.random() < 0.15 and name not in ("TRUE", "FALSE"):
            around = ["1+{}", "IF(TRUE,{},0)", "{}&\"!\"", "({})*2"]
            # What it is recorded as gives numbers only.
            call = rng.choice([text for text in around if name != "SEQUENCE" or "&" not in text]).format(call)
        if call not in found and call not in known:
            found.append(call)
        if not kinds and not known:
            found = [f"{name}()"] + [template.replace("{}", f"{name}()") for template in
                     ["1+{}", "{}*{}", "-{}", "{}/2", "IF(TRUE,{},0)", "{}={}", "{}&\"\"", "ISERROR({})", "IFERROR({},1)", "ISNUMBER({})",
                      "{}>0", "ROUND({},2)", "INT({})", "{}-1", "ABS({})", "NOT({})", "TYPE({})", "SUM({},1)", "MAX({},2)", "{}^2", "IF({},1,2)",
                      "IF({},A1,B1)", "AND({},A1>0)", "OR({},A1>5)", "IFERROR({},0)", "IF(A1>5,{},B1)", "IF(A1>2,{},\"x\")", "CHOOSE(1,{},2)",
                      "ISLOGICAL({})", "ISTEXT({})", "IF(AND({},A1>2),D1,D2)", "IF(NOT({}),1,0)", "IF(OR({},B1>100),\"y\",\"n\")",
                      "INDEX(A1:A8,IF({},2,3))", "SUM(A1:A3,IF({},1,2))", "VLOOKUP(5,F1:G8,2,{})", "ISNA({})", "ISBLANK({})", "COUNT(A1:A3)+{}"]]
            break
    return found


# One value of each kind for an argument that is one value, and for one that is many.
KINDS_OF_VALUES = [("J1", "J1:J4"), ("H1", "H1:H4"), ("D6", "D1:D8"), ("E1", "E1:E8"), ("A1:A3", "{1,2,3}"), ("Other!A2", "Other!A1:A8")]


def kind_cases(name, kinds, known):
    """Every kind of value in place of every argument, the others being usual ones. Every other case is held out."""
    rng = random.Random("kinds " + name)
    kinds = kinds.split("|")[0].split()
    found = []
    for place in range(len(kinds)):
        for one, many in KINDS_OF_VALUES:
            arguments = [argument(kind.rstrip("?"), rng, False) for kind in kinds]
            arguments[place] = many if ":" in arguments[place] or "{" in arguments[place] else one
            call = f"{name}({','.join(arguments)})"
            if name in TAKEN_BY:
                call = rng.choice(TAKEN_BY[name]).format(call)
            if name in ("CHAR", "UNICHAR"):
                # A line break cannot be recorded.
                call = f"LEN({call})"
            if call not in known and call not in found:
                found.append(call)
    return found[::2], found[1::2]


def stored(formula):
    out, word = "", ""
    for sign in formula + "\0":
        if sign.isalnum() or sign in "._":
            word += sign
            continue
        out += ("_xlfn." + word if sign == "(" and word in NEW else word) + sign
        word = ""
    return out.rstrip("\0")


def recorded_as(formula):
    """The formula that LibreOffice computes: functions that it does not have are written with those that it has."""
    def arguments(text):
        parts, depth, quoted, part = [], 0, False, ""
        for sign in text:
            quoted ^= sign == '"'
            depth += (sign in "({") - (sign in ")}") if not quoted else 0
            if sign == "," and depth == 0 and not quoted:
                parts.append(part)
                part = ""
            else:
                part += sign
        return parts + [part]

    sequence = False
    for name in ("_xlfn.XLOOKUP(", "_xlfn.XMATCH(", "_xlfn.SEQUENCE("):
        start = formula.find(name)
        if start < 0:
            continue
        end, depth, quoted = start + len(name), 1, False
        while depth:
            quoted ^= formula[end] == '"'
            depth += (formula[end] == "(") - (formula[end] == ")") if not quoted else 0
            end += 1
        given = arguments(formula[start + len(name) : end - 1])
        if "SEQUENCE" in name:
            sequence = True
            rows, columns, first, step = given + ["1"] * (4 - len(given))
            place = f"(ROW(OFFSET($A$1,0,0,{rows},1))-1)*INT({columns})+COLUMN(OFFSET($A$1,0,0,1,{columns}))-1"
            found = f"({first}+({step})*({place}))"
        else:
            key, cells, *rest = given
            found = f"MATCH({key},{cells},0)"
            if "LOOKUP" in name:
                found = f"INDEX({rest[0]},{found})"
                found = f"_xlfn.IFNA({found},{rest[1]})" if rest[1:] else found
        formula = formula[:start] + found + formula[end:]
    # Within SUMPRODUCT, LibreOffice computes with each value of an array.
    return f"SUMPRODUCT({formula})" if sequence else formula


def main():
    chosen = [name for name in FUNCTIONS if not sys.argv[1:] or name in sys.argv[1:]]
    book = openpyxl.Workbook()
    book.remove(book.active)
    lines = []
    for title, columns in GRID.items():
        sheet = book.create_sheet(title)
        for column, values in columns.items():
            for row, value in enumerate(values, 1):
                if value is None or value == "":
                    continue
                cell = sheet[f"{column}{row}"]
                cell.value = value
                kind = "b" if isinstance(value, bool) else "n" if isinstance(value, (int, float)) else "s"
                if isinstance(value, str) and value.startswith("#"):
                    kind = cell.data_type = "e"
                elif kind == "s":
                    cell.data_type = "s"
                lines.append(f"{title}!{cell.coordinate}\t{kind}\t{str(value).upper() if kind == 'b' else value}\n")
    for row, value in enumerate([-100, 30, 40, 60], 10):
        book["Data"][f"C{row}"] = value
        lines.append(f"Data!C{row}\tn\t{value}\n")
    (HERE / "grid.tsv").write_text("".join(lines), "utf-8")
    out = book["Data"]
    plan, row = [], 100
    if not sys.argv[1:]:
        chosen.append("OPERATORS")
    for name in chosen:
        held_out = "held out " + name
        if name == "OPERATORS":
            known = operator_cases("operators", 400)
            others = operator_cases(held_out, 200, known)
        else:
            known = cases(name, FUNCTIONS[name], name, CASES)
            others = cases(name, FUNCTIONS[name], held_out, HELD_OUT, known)
            for cases_so_far, more in zip((known, others), kind_cases(name, FUNCTIONS[name], known + others)):
                cases_so_far += more
        for formula in known + others:
            row += 1
            out.cell(row=row, column=30).value = "=" + recorded_as(stored(formula))
            plan.append((name, stored(formula), row, "" if formula in known else "\theld out"))
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "in.xlsx"
        book.save(source)
        subprocess.run(
            [os.environ.get("JIG_TEST_SOFFICE", "soffice"), f"-env:UserInstallation=file://{folder}/p", "--headless", "--convert-to", "xlsx:Calc MS Excel 2007 XML",
             "--outdir", f"{folder}/out", str(source)],
            check=True, stdout=subprocess.DEVNULL,
        )
        result = openpyxl.load_workbook(f"{folder}/out/in.xlsx", data_only=True)["Data"]
    files = {}
    for name, formula, row, held_out in plan:
        cell = result.cell(row=row, column=30)
        value = cell.value
        if cell.is_date and not isinstance(value, (int, float, str, type(None))):
            value = to_excel(value)
        if isinstance(value, bool):
            kind, text = "b", str(value).upper()
        elif isinstance(value, (int, float)):
            kind, text = "n", repr(value)
        elif cell.data_type == "e":
            kind, text = "e", value
        else:
            kind, text = "s", re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), value or "")
        if len(text) > 2000 or any(sign in text for sign in "\t\n\r"):
            continue
        files.setdefault(name, []).append(f"{formula}\t{kind}\t{text}{held_out}\n")
    for name, found in files.items():
        (HERE / f"{name}.tsv").write_text("".join(found), "utf-8")
    print(f"{len(plan)} cases of {len(files)} functions")


main()
