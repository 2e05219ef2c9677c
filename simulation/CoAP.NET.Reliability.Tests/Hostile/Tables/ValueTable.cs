using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// Values of options that are legal in length and bad in content: no UTF-8, dots, separators, numbers that mean nothing (RFC 7252 sections
/// 3.2, 5.10 and 6.4).
/// </summary>
internal static class ValueTable
{
    public static HostileTable Table { get; } = new("values", [.. Texts(), .. Paths(), .. Numbers()], [.. Responses()], [], []);

    private static IEnumerable<HostileRow> Texts()
    {
        (string Name, string Bytes)[] bad =
        [
            ("a lone ff", "ff"), ("a lone continuation byte", "80"), ("a truncated sequence of two", "c3"),
            ("a truncated sequence of three", "e282"), ("a truncated sequence of four", "f09f98"),
            ("an overlong slash of two bytes", "c0af"), ("an overlong slash of three bytes", "e080af"), ("an overlong dot", "c0ae"),
            ("an overlong NUL", "c080"), ("a surrogate", "eda080"),
            ("a pair of surrogates", "eda080edb080"), ("more than 10ffff", "f4908080"), ("a sequence of five", "f888808080"),
            ("a bad byte after good ones", "616263ff"),
        ];
        (int Number, string Name, string Rfc)[] options = [(3, "Uri-Host", "7252-3.2-3"), (11, "Uri-Path", "BAD-39 7252-3.2-3"),
            (15, "Uri-Query", "7252-3.2-3"), (39, "Proxy-Scheme", "7252-3.2-3")];
        foreach ((int number, string option, string rfc) in options)
        {
            foreach ((string name, string bytes) in bad)
            {
                // The RFC says that it is UTF-8 and not what to answer (BAD-39: 4.00, 4.02 or 4.04). The option is known and its value is
                // bad: 4.00.
                (int, string)[] all = number < 11 ? [(number, bytes), (11, "'x'")] : [(11, "'x'"), (number, bytes)];
                yield return new HostileRow($"{option} with {name}", $"> 40 01 7d34 {HostileBytes.Options(all)}; < 60 80 7d34 ..",
                    CoapCounter.BadOptions, rfc);
            }
        }
    }

    // One option is one segment, whatever is in it: nothing is decoded, nothing is a separator (RFC 7252 section 6.4).
    private static IEnumerable<HostileRow> Paths() =>
    [
        Get("A segment that is a dot", ["things", "."], "80", "BAD-38 7252-5.10.1-1"),
        Get("A segment of two dots", ["things", ".."], "80", "BAD-38 7252-5.10.1-1"),
        Get("Two dots alone", [".."], "80", "BAD-38 7252-5.10.1-1"),
        Get("Two dots that lead back to a resource", ["none", "..", "x"], "80", "BAD-38 7252-5.10.1-1"),
        Thing("Three dots, which are a name", "...", "7252-5.10.1-1"),
        Thing("Escaped dots", "%2e%2e", "7252-3.2-3 7252-11.1-1"),
        Thing("An escaped slash", "%2f", "7252-3.2-3 7252-11.1-1"),
        Thing("A slash inside a segment", "a/b", "7252-6.5-1 7252-11.1-1"),
        Thing("Dots and slashes inside a segment", "../../etc/passwd", "7252-11.1-1"),
        Thing("Backslashes", "..\\\\windows", "7252-11.1-1"),
        Thing("A drive", "c:", "7252-11.1-1"),
        Thing("Braces of a template", "{id}", "7252-11.1-1"),
        Thing("An asterisk", "*", "7252-11.1-1"),
        Thing("A question mark and a number sign", "a?b#c", "7252-11.1-1"),
        Thing("Spaces", "  ", "7252-11.1-1"),
        Thing("Turkish letters without and with dots", "Iıİi", "7252-3.2-3"),
        Thing("A letter beyond the first plane", "😀", "7252-3.2-3"),
        new("A segment that is a NUL", "> 40 01 7d34 b6'things' 01 00 ; < 60 45 7d34 c0 ff 00", CoapCounter.RequestsReceived, "7252-3.2-3"),
        new("NULs around text", "> 40 01 7d34 b6'things' 03 00 61 00 ; < 60 45 7d34 c0 ff 00 61 00", CoapCounter.RequestsReceived,
            "7252-3.2-3"),
        new("Line ends and escapes for a terminal", "> 40 01 7d34 b6'things' 04 0d 0a 1b 5b ; < 60 45 7d34 c0 ff 0d 0a 1b 5b",
            CoapCounter.RequestsReceived, "7252-3.2-3"),
        new("A byte order mark", "> 40 01 7d34 b6'things' 03 efbbbf ; < 60 45 7d34 c0 ff efbbbf", CoapCounter.RequestsReceived,
            "7252-3.2-3"),
        Get("The whole path in one segment", ["things/7"], "84", "7252-6.4-1"),
        Get("The whole path in one segment, escaped", ["things%2f7"], "84", "7252-6.4-1"),
        Get("Another case", ["X"], "84", "7252-6.3-1"),
        Get("An empty segment before", ["", "x"], "84", "7252-6.4-1"),
        Get("An empty segment after", ["x", ""], "84", "7252-6.4-1"),
        Get("The path of the server's own list, and more", [".well-known", "core", "x"], "84", "7252-6.4-1"),
        Get("250 segments", [.. Enumerable.Repeat("a", 250)], "84", "7252-3.1-4"),
        new("1,000 segments", "> 40 01 7d34 b1 'a' [0161*670] ; < 7000 7d34", CoapCounter.FormatErrors, "7252-3.1-4"),
        new("1,000 segments of text", "> 40 01 7d34 b2 'ab' [026162*999] ; < 608d 7d34 ..", CoapCounter.TruncatedDatagrams, "7252-4.6-1"),
        new("A query of 64 KiB", "> 40 01 7d34 b1 'q' 4e fef2 [61*65000] ; < 608d 7d34 ..", CoapCounter.TruncatedDatagrams, "7252-4.6-1"),
        new("Five queries of 255 bytes",
            "> 40 01 7d34 b1 'q' 4d f2 [61*255] 0d f2 [61*255] 0d f2 [61*255] 0d f2 [61*255] 0d f2 [61*255] ; < 6045 7d34 c0 ff '5'",
            CoapCounter.RequestsReceived, "7252-5.4.3-1"),
        new("200 queries", "> 40 01 7d34 b1 'q' 41 61 [0161*199] ; < 6045 7d34 c0 ff '200'", CoapCounter.RequestsReceived, "7252-5.4.3-1"),
        new("Empty queries, lone separators and NULs", "> 40 01 7d34 b1 'q' 40 00 01'=' 01'&' 01 00 03'a=&' ; < 6045 7d34 c0 ff '6'",
            CoapCounter.RequestsReceived, "7252-6.4-1"),
        new("A host that is another one", "> 40 01 7d34 3c 'evil.example' 81 'x' ; < 6045 7d34 c0 ff 'hi'", CoapCounter.RequestsReceived,
            "7252-5.10.1-2"),
        new("A host with a NUL, a slash and a colon", "> 40 01 7d34 35 'a/:' 00 'b' 81 'x' ; < 6045 7d34 c0 ff 'hi'",
            CoapCounter.RequestsReceived, "7252-5.10.1-2"),
        new("A host that is an address in brackets, cut", "> 40 01 7d34 34 '[::1' 81 'x' ; < 6045 7d34 c0 ff 'hi'",
            CoapCounter.RequestsReceived, "7252-5.10.1-2"),
    ];

    private static IEnumerable<HostileRow> Numbers() =>
    [
        new("Content-Format 65,535, which nobody has", "> 40 03 7d34 b4'body' 12 ffff ff 'x' ; < 6044 7d34 c0 ff '1'",
            CoapCounter.RequestsReceived, "7252-5.5.4-1"),
        new("Content-Format 65,536, which is none, is ignored", "> 40 03 7d34 b4'body' 13 010000 ff 'x' ; < 6044 7d34 c0 ff '1'",
            CoapCounter.RequestsReceived, "7252-5.4.3-1"),
        new("Accept 65,535, which nobody makes", "> 40 01 7d34 b1'x' 62 ffff ; < 6086 7d34", CoapCounter.RequestsReceived, "7252-5.5.4-1"),
        new("Accept 65,536, which is none", "> 40 01 7d34 b1'x' 63 010000 ; < 6082 7d34 ..", CoapCounter.BadOptions, "7252-5.4.3-1"),
        new("Accept 0 in two bytes", "> 40 01 7d34 b1'x' 62 0000 ; < 6045 7d34 c0 ff 'hi'", CoapCounter.RequestsReceived, "7252-3.2-2"),
        new("Content-Format 0 in two bytes", "> 40 03 7d34 b4'body' 12 0000 ff 'x' ; < 6044 7d34 c0 ff '1'", CoapCounter.RequestsReceived,
            "7252-3.2-2"),
        new("Uri-Port 0", "> 40 01 7d34 71 00 41 'x' ; < 6045 7d34 c0 ff 'hi'", CoapCounter.RequestsReceived, "7252-5.10.1-2"),
        new("Uri-Port of somebody else", "> 40 01 7d34 72 ffff 41 'x' ; < 6045 7d34 c0 ff 'hi'", CoapCounter.RequestsReceived,
            "7252-5.10.1-2"),
        new("FETCH without a Content-Format", "> 40 05 7d34 b1'x' ff 'q' ; < 6080 7d34 ..", CoapCounter.RequestsReceived, "8132-2.3.1-1"),
        new("FETCH without a payload", "> 40 05 7d34 b1'x' 10 ; < 6045 7d34 ..", CoapCounter.RequestsReceived, "8132-2-2"),
        new("A payload in a GET is ignored", "> 40 01 7d34 b1'x' ff [61*1000] ; < 6045 7d34 c0 ff 'hi'", CoapCounter.RequestsReceived,
            "7252-5.5-1"),
        new("A payload in a DELETE of nothing", "> 40 04 7d34 b4'none' ff [61*1000] ; < 6084 7d34", CoapCounter.RequestsReceived,
            "7252-5.5-1"),
        new("A payload of markers", "> 40 02 7d34 b1'x' ff [ff*100] ; < 6044 7d34 ff [ff*100]", CoapCounter.RequestsReceived, "7252-3-3"),
        new("A method that the resource does not have", "> 40 04 7d34 b1'x' ; < 6085 7d34", CoapCounter.RequestsReceived, "7252-5.8-1"),
        new("PATCH of what has none", "> 40 06 7d34 b1'x' ff 'x' ; < 6085 7d34", CoapCounter.RequestsReceived, "7252-5.8-1"),
    ];

    // A client hands values on as they came, or as absent where they are none.
    private static IEnumerable<HostileRow> Responses()
    {
        (string Name, string Tail, string Outcome, string Rfc)[] rows =
        [
            ("a payload that is no UTF-8", "ff fffe80", "= 2.05 \ufffd\ufffd\ufffd", "7252-3.2-3"),
            ("a payload with NUL", "ff 'a' 00 'b'", "= 2.05 a\0b", "7252-3.2-3"),
            ("Content-Format 65,535", "c2 ffff ff 'r'", "= 2.05 r", "7252-5.5.4-1"),
            ("Content-Format 65,536", "c3 010000 ff 'r'", "= 2.05 r", "7252-5.4.3-1"),
            ("Max-Age of 136 years", "d4 01 ffffffff ff 'r'", "= 2.05 r", "7252-5.6.1-1"),
            ("an empty payload and Content-Format json", "c1 32", "= 2.05", "7252-5.5-1"),
            ("Location-Path of dots", "82 '..' 01 '.' ff 'r'", "= 2.05 r", "7252-5.10.7-1"),
            ("Location-Path that is no UTF-8", "81 ff ff 'r'", "= 2.05 r", "7252-3.2-3"),
            ("Size2 of 4 GiB", "d4 0f ffffffff ff 'r'", "= 2.05 r", "7959-4-1"),
        ];
        foreach ((string name, string rest, string outcome, string rfc) in rows)
        {
            yield return new HostileRow($"A response with {name}",
                $"get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 45 <mid> <token> {rest} ; {outcome}", CoapCounter.RequestsSent, rfc);
        }

        yield return new HostileRow(
            "A diagnostic that is no UTF-8", "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 84 <mid> <token> ff ff00 ; = 4.04 \ufffd\0",
            CoapCounter.RequestsSent, "7252-5.5.2-1");
    }

    private static HostileRow Thing(string name, string segment, string rfc) => new(
        name, $"> 40 01 7d34 {HostileBytes.Options((11, "'things'"), (11, Quoted(segment)))}; < 60 45 7d34 c0 ff {Quoted(segment)}",
        CoapCounter.RequestsReceived, rfc);

    private static HostileRow Get(string name, string[] segments, string code, string rfc) => new(
        name,
        $"> 40 01 7d34 {HostileBytes.Options([.. segments.Select(segment => (11, Quoted(segment)))])}; < 60 {code} 7d34 ..",
        code == "80" ? CoapCounter.BadOptions : CoapCounter.RequestsReceived,
        rfc);

    private static string Quoted(string text) => Convert.ToHexStringLower(Encoding.UTF8.GetBytes(text));
}
