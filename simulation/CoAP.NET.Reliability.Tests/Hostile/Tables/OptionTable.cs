using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// RFC 7252 section 5.4: each known option in each length that matters and twice, in requests and in responses, and options that nobody
/// knows. What is known of an option is written down here once more, from the RFCs, not taken from the library.
/// </summary>
internal static class OptionTable
{
    private const string Served = "2.05";
    private const string BadOption = "4.02";

    // Number, name, bounds, whether it may stand more than once, what a GET of /x with its shortest and longest legal value gets, and what
    // becomes of a response that has it. Q-Block and OSCORE and EDHOC are not claimed by an endpoint without security, so they are critical
    // options that it does not know (RFC 9177 section 11).
    private static readonly Known[] s_known =
    [
        new(1, "If-Match", 0, 8, true, "2.05", "4.12", null, "7252-5.10.8-1"),
        new(3, "Uri-Host", 1, 255, false, "2.05", "2.05", null, "7252-5.10.1-2"),
        new(4, "ETag", 1, 8, true, "2.05", "2.05", "once", "7252-5.10.6-1"),
        new(5, "If-None-Match", 0, 0, false, "4.12", "4.12", null, "7252-5.10.8-1"),
        new(6, "Observe", 0, 3, false, "2.05", "2.05", "once", "7641-2-1"),
        new(7, "Uri-Port", 0, 2, false, "2.05", "2.05", null, "7252-5.10.1-2"),
        new(8, "Location-Path", 0, 255, true, "2.05", "2.05", "any", "7252-5.4-1"),
        new(9, "OSCORE", 0, 255, false, "4.02", "4.02", null, "7252-5.4.1-2"),
        new(11, "Uri-Path", 0, 255, true, "4.04", "4.04", null, "7252-5.4.3-1"),
        new(12, "Content-Format", 0, 2, false, "2.05", "2.05", "once", "7252-5.4.5-1"),
        new(14, "Max-Age", 0, 4, false, "2.05", "2.05", "once", "7252-5.4-1"),
        new(15, "Uri-Query", 0, 255, true, "2.05", "2.05", null, "7252-5.4.3-1"),
        new(16, "Hop-Limit", 1, 1, false, "2.05", "2.05", "ignored", "8768-3-1"),
        new(17, "Accept", 0, 2, false, "2.05", "4.06", null, "7252-5.5.4-1"),
        new(19, "Q-Block1", 0, 3, false, "4.02", "4.02", null, "9177-4.1-1"),
        new(20, "Location-Query", 0, 255, true, "2.05", "2.05", "any", "7252-5.4-1"),
        new(21, "EDHOC", 0, 0, false, "4.02", "4.02", null, "7252-5.4.1-2"),
        new(28, "Size2", 0, 4, false, "2.05", "2.05", "once", "7959-4-1"),
        new(31, "Q-Block2", 0, 3, true, "4.02", "4.02", null, "9177-4.1-1"),
        new(35, "Proxy-Uri", 1, 1034, false, "5.05", "5.05", null, "7252-5.7.2-1"),
        new(39, "Proxy-Scheme", 1, 255, false, "5.05", "5.05", null, "7252-5.7.2-1"),
        new(60, "Size1", 0, 4, false, "2.05", "2.05", "once", "7959-4-1"),
        new(252, "Echo", 1, 40, false, "2.05", "2.05", "once", "9175-2.2.1-1"),
        new(258, "No-Response", 0, 1, false, "2.05", "2.05", "ignored", "7967-2-1"),
        new(292, "Request-Tag", 0, 8, true, "2.05", "2.05", "ignored", "9175-3.4-3"),
    ];

    public static HostileTable Table { get; } = new("options", [.. Requests(), .. Unknown(), .. Pairs()],
        [.. Responses(), .. UnknownInResponses()], [], []);

    /// <summary>Each option in a GET of /x, one byte too short, shortest, longest, one byte too long, and twice.</summary>
    private static IEnumerable<HostileRow> Requests()
    {
        foreach (Known known in s_known)
        {
            foreach ((int length, bool isLegal) in known.Lengths())
            {
                string expected = isLegal ? length == known.Min ? known.Shortest : known.Longest : known.WhenIllegal;
                yield return Request($"{known.Name} of {length} bytes in a GET", [(known.Number, known.Value(length))], expected,
                    isLegal ? known.Rfc : known.Rfc + " 7252-5.4.3-1");
            }

            // A second one counts as an option that is not recognized.
            string value = known.Value(known.Min);
            string twice = known.IsRepeatable ? known.Shortest : known.Number == 16 ? Served : known.IsCritical ? BadOption : Served;
            yield return Request($"{known.Name} twice in a GET", [(known.Number, value), (known.Number, value)], twice, "7252-5.4.5-1");
        }
    }

    private static IEnumerable<HostileRow> Unknown() =>
    [
        Request("A critical option that nobody knows", [(9999, "")], BadOption, "BAD-29 7252-5.4.1-2"),
        Request("A critical and unsafe option that nobody knows", [(65003, "61")], BadOption, "7252-5.4.1-2 7252-5.4.6-1"),
        Request("An elective option that nobody knows", [(9998, "78")], Served, "BAD-30 7252-5.4.1-1"),
        Request("An elective option that nobody knows, of 1,000 bytes", [(9998, "[61*1000]")], Served, "7252-5.4.1-1"),
        Request("A hundred elective options that nobody knows", [.. Enumerable.Range(1, 100).Select(i => (2000 + (i * 2), "61"))],
            Served, "7252-5.4.1-1"),
        Request("Option number 0", [(0, "61")], Served, "7252-5.4.1-1"),
        Request("Option number 2, reserved and elective", [(2, "61")], Served, "7252-5.4.1-1"),
        Request("Option number 13, critical, of a draft", [(13, "61")], BadOption, "7252-5.4.1-2"),
        Request("Option number 128, reserved for locations", [(128, "61")], Served, "7252-5.10.7-2"),
        new("A critical option that nobody knows, Non-confirmable",
            "> 50 01 7d34 " + HostileBytes.Options((11, "'x'"), (9999, "")) + "; < 50 82 ..", CoapCounter.BadOptions, "7252-5.4.1-4"),
        new("A critical option that nobody knows in a method that nobody knows",
            "> 40 1f 7d34 " + HostileBytes.Options((11, "'x'"), (9999, "")) + "; < 60 8? 7d34 ..", CoapCounter.BadOptions, "7252-5.4.1-2"),
        new("A critical option that nobody knows in a POST",
            "> 40 02 7d34 " + HostileBytes.Options((11, "'count'"), (9999, "")) + "; < 60 82 7d34 .. ; counted 0", CoapCounter.BadOptions,
            "7252-5.4.1-2"),
        new("A second Accept in a GET, as in the vectors", "> 40017d34 b1'x' 60 01 32 ; < 60 82 7d34 ..", CoapCounter.BadOptions,
            "BAD-34 7252-5.4.5-1"),
        new("A second Content-Format in a PUT, the first one applies", "> 40 03 7d34 b4'body' 10 01 32 ff 'x' ; < 60 44 7d34 ..",
            CoapCounter.RequestsReceived, "BAD-35 7252-5.4.5-1"),
        new("Uri-Path of 256 bytes, as in the vectors", "> 40017d34 bd f3 [61*256] ; < 60 82 7d34 ..", CoapCounter.BadOptions,
            "BAD-33 7252-5.4.3-1"),
        new("If-None-Match with a byte, as in the vectors", "> 40 03 7d34 51 01 64'body' ff 'x' ; < 60 82 7d34 ..", CoapCounter.BadOptions,
            "BAD-36 7252-5.4.3-1"),
        new("ETags of 0 and of 9 bytes, as in the vectors", "> 40017d34 40 09 [01*9] 71'x' ; < 60 45 7d34 c0 ff 'hi'",
            CoapCounter.RequestsReceived, "BAD-37 7252-5.4.3-1"),
    ];

    /// <summary>Options that exclude each other, or that go before each other.</summary>
    private static IEnumerable<HostileRow> Pairs() =>
    [
        Request("Proxy-Uri beside Uri-Host and Uri-Path", [(3, "'a'"), (35, "'coap://b/c'")], "5.05", "7252-5.10.2-2 7252-5.7.2-1"),
        Request("A Proxy-Uri that is no URI", [(35, "'::::'")], "5.05", "7252-5.7.2-1"),
        Request("A Proxy-Uri that is this server", [(35, "'coap://192.0.2.1/x'")], "5.05", "7252-5.7.2-1"),
        Request("Proxy-Scheme http", [(39, "'http'")], "5.05", "7252-5.7.2-1"),
        Request("A critical option that nobody knows beside Proxy-Uri", [(35, "'coap://b/c'"), (9999, "")], BadOption, "7252-5.4.1-2"),
        Request("Hop-Limit 0", [(16, "00")], "4.00", "8768-3-1"),
        Request("Hop-Limit 255", [(16, "ff")], Served, "8768-3-1"),
        Request("Block1 and Block2 with Q-Block1", [(19, "08"), (23, "02"), (27, "0a")], BadOption, "9177-4.1-4"),
        new("No-Response to everything", "> 40 02 7d34 b5'count' " + "d1 ea 1a" + " ; < 60 00 7d34 ; counted 1",
            CoapCounter.ResponsesNotWanted, "7967-2.1-2"),
        new("No-Response to everything, Non-confirmable", "> 50 02 7d34 b5'count' d1 ea 1a ; counted 1", CoapCounter.ResponsesNotWanted,
            "7967-2.1-3"),
        new("No-Response of two bytes is ignored", "> 40 02 7d34 b5'count' d2 ea 001a ; < 60 45 7d34 c0 ff '1' ; counted 1",
            CoapCounter.RequestsReceived, "7967-2-1 7252-5.4.3-1"),
    ];

    /// <summary>Each option in a response to a GET, in each length that matters and twice.</summary>
    private static IEnumerable<HostileRow> Responses()
    {
        foreach (Known known in s_known)
        {
            foreach ((int length, _) in known.Lengths())
            {
                foreach (HostileRow row in Response($"{known.Name} of {length} bytes", [(known.Number, known.Value(length))],
                    known.InResponse is null, known.Rfc + " 7252-5.4-1"))
                {
                    yield return row;
                }
            }

            string value = known.Value(known.Min);
            foreach (HostileRow row in Response($"{known.Name} twice", [(known.Number, value), (known.Number, value)],
                known.InResponse is null, "7252-5.4.5-1"))
            {
                yield return row;
            }
        }
    }

    private static IEnumerable<HostileRow> UnknownInResponses() =>
    [
        .. Response("a critical option that nobody knows", [(9999, "")], true, "BAD-31 BAD-32 7252-5.4.1-3"),
        .. Response("an elective option that nobody knows", [(9998, "78")], false, "7252-5.4.1-1"),
        .. Response("Location-Path and reserved option 128", [(8, "'a'"), (128, "61")], true, "7252-5.10.7-2"),
        .. Response("Location-Query and reserved option 140", [(20, "'a'"), (140, "61")], true, "7252-5.10.7-2"),
        .. Response("reserved option 132 alone", [(132, "61")], false, "7252-5.10.7-2"),
        .. Response("257 options", [.. Enumerable.Repeat((8, "61"), 257)], null, "7252-3.1-4"),
    ];

    private static HostileRow Request(string name, (int Number, string Value)[] options, string expected, string rfc)
    {
        (int, string)[] all = [.. options.Append((11, "'x'")).OrderBy(option => option.Item1)];
        if (options.Length > 0 && options[0].Number == 11)
        {
            all = [(11, "'x'"), .. options];
        }

        string code = Code(expected);
        bool isBad = expected is "4.02" or "4.00";
        return new HostileRow(name, $"> 40 01 7d34 {HostileBytes.Options(all)}; < 60 {code} 7d34 ..",
            isBad ? CoapCounter.BadOptions : CoapCounter.RequestsReceived, rfc);
    }

    // A response that must be rejected is rejected in each way that it can come; one that need not be is taken.
    private static IEnumerable<HostileRow> Response(string name, (int Number, string Value)[] options, bool? isRejected, string rfc)
    {
        string bytes = HostileBytes.Options(options) + "ff 'r'";
        string outcome = isRejected == true ? "= InvalidResponse" : "= 2.05 r";
        CoapCounter counter = isRejected == true ? CoapCounter.BadOptions : CoapCounter.RequestsSent;
        const string Get = "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; ";
        if (isRejected is null)
        {
            yield return new HostileRow($"A response with {name}",
                $"{Get}> 64 45 <mid> <token> {bytes}; = pending ; > 64 45 <mid> <token> ff 'r'; = 2.05 r", CoapCounter.FormatErrors, rfc);
            yield break;
        }

        yield return new HostileRow($"A piggybacked response with {name}", $"{Get}> 64 45 <mid> <token> {bytes}; {outcome}", counter, rfc);
        if (options.Length == 1 && options[0].Number is 1 or 4 or 9999 or 9998 or 128)
        {
            string settled = isRejected == true ? "< 7000 7d34" : "< 6000 7d34";
            yield return new HostileRow($"A separate response with {name}",
                $"{Get}> 60 00 <mid>; > 44 45 7d34 <token> {bytes}; {settled}; {outcome}", counter, rfc);
            yield return new HostileRow($"A Non-confirmable response with {name}",
                $"{Get}> 60 00 <mid>; > 54 45 7d34 <token> {bytes}; {outcome}", counter, rfc);
        }
    }

    private static string Code(string text) =>
        ((int.Parse(text[..1], CultureInfo.InvariantCulture) << 5) + int.Parse(text[2..], CultureInfo.InvariantCulture))
            .ToString("x2", CultureInfo.InvariantCulture);

    private sealed record Known(int Number, string Name, int Min, int Max, bool IsRepeatable, string Shortest, string Longest,
        string? InResponse, string Rfc)
    {
        public bool IsCritical => (Number & 1) == 1;

        // RFC 8768 section 3 has a rule of its own for the range of Hop-Limit; otherwise an illegal length makes an option an unknown one.
        public string WhenIllegal => Number == 16 ? "4.00" : IsCritical ? BadOption : Served;

        public IEnumerable<(int Length, bool IsLegal)> Lengths()
        {
            if (Min > 0)
            {
                yield return (Min - 1, false);
            }

            yield return (Min, true);
            if (Max > Min)
            {
                yield return (Max, true);
            }

            yield return (Max + 1, false);
        }

        // Letters where it is text; 0 where it is a number, but not where 0 means something else.
        public string Value(int length) => length == 0 ? "" : Number switch
        {
            6 => $"[ff*{length}]",
            16 => $"[10*{length}]",
            17 => length == 2 ? "ffff" : $"[00*{length}]",
            7 or 12 or 14 or 19 or 28 or 31 or 60 or 258 => $"[00*{length}]",
            _ => $"[61*{length}]",
        };
    }
}
