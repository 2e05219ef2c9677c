using CoAP.NET.Diagnostics;
using CoAP.NET.Testing.Peers;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>RFC 7252 sections 3 and 4: header, token, options as bytes, types and codes. All messages have the Message ID 7d34.</summary>
internal static class MessageTable
{
    private const string Reset = "; < 7000 7d34";
    private const CoapCounter Format = CoapCounter.FormatErrors;

    public static HostileTable Table { get; } = new("message", [.. Headers(), .. Tokens(), .. Options(), .. Matrix()], [.. Responses()], [],
        []);

    private static IEnumerable<HostileRow> Headers() =>
    [
        new("A datagram of no byte", "> ", CoapCounter.Ignored, "BAD-01 7252-4.2-5"),
        new("A datagram of one byte", "> 40", CoapCounter.Ignored, "BAD-01 7252-4.2-5"),
        new("A datagram of two bytes", "> 4001", CoapCounter.Ignored, "BAD-01 7252-4.2-5"),
        new("A datagram of three bytes", "> 40017d", CoapCounter.Ignored, "BAD-01 7252-4.2-5"),
        new("Version 0", "> 00017d34", CoapCounter.Ignored, "BAD-02 7252-3-1"),
        new("Version 2", "> 80017d34", CoapCounter.Ignored, "BAD-02 7252-3-1"),
        new("Version 3", "> c0017d34", CoapCounter.Ignored, "BAD-02 7252-3-1"),
        new("Version 2 with a format error", "> 8f017d34ff", CoapCounter.Ignored, "BAD-02 7252-3-1"),
    ];

    private static IEnumerable<HostileRow> Tokens() =>
    [
        // RFC 8974 is supported: 9 is a length as any other.
        new("A token of 9 bytes, the first extended one", "> 4901 7d34 [aa*9] b1'x' ; < 6945 7d34 [aa*9] c0 ff 'hi'",
            CoapCounter.RequestsReceived, "BAD-03 8974-2.1-1"),
        new("TKL 15", "> 4f017d34 [aa*15]" + Reset, Format, "BAD-04 7252-3-2"),
        new("TKL 15 and nothing after it", "> 4f017d34" + Reset, Format, "BAD-04 7252-3-2"),
        new("TKL 15, Non-confirmable", "> 5f017d34 [aa*15]", Format, "BAD-04 7252-3-2 7252-4.3-2"),
        new("A token of 64 bytes, the longest that is taken", "> 4d01 7d34 33 [aa*64] b1'x' ; < 6d45 7d34 33 [aa*64] c0 ff 'hi'",
            CoapCounter.RequestsReceived, "8974-2.1-1 8974-2.2.2-3"),
        new("A token of 65 bytes, one more than is taken", "> 4d01 7d34 34 [aa*65] b1'x' ; < 6d80 7d34 34 [aa*65] ..", Format,
            "8974-2.2.2-3"),
        new("A token of 269 bytes", "> 4e01 7d34 0000 [aa*269] b1'x' ; < 6e80 7d34 0000 [aa*269] ..", Format, "8974-2.2.2-3"),
        new("A token of 1,000 bytes in a Non-confirmable request", "> 5e01 7d34 02db [aa*1000] b1'x' ; < 5e80 ???? 02db [aa*1000] ..",
            Format, "8974-2.2.2-3"),
        new("A long token in a Confirmable response", "> 4d45 7d34 34 [aa*65] ff 'x'" + Reset, Format, "8974-2.2.2-3 7252-4.2-2"),
        new("A long token in an acknowledgement", "> 6d45 7d34 34 [aa*65] ff 'x'", Format, "8974-2.2.2-3 7252-4.2-5"),
        .. Cut("Token of TKL 4", "4401 7d34", "aabbccdd", "BAD-05 7252-3-2"),
        .. Cut("Token of TKL 13", "4d01 7d34", "00 [aa*13]", "BAD-05 8974-2.1-1"),
        .. Cut("Token of TKL 14", "4e01 7d34", "0000 [aa*269]", "BAD-05 8974-2.1-1"),
    ];

    private static IEnumerable<HostileRow> Options() =>
    [
        new("A payload marker and no payload", "> 40017d34 ff" + Reset, Format, "BAD-08 7252-3-3"),
        new("A payload marker after an option and no payload", "> 40017d34 b4'test' ff" + Reset, Format, "BAD-08 7252-3-3"),
        new("Delta 15 with length 0", "> 40017d34 f0" + Reset, Format, "BAD-09 7252-3.1-2"),
        new("Delta 15 with length 1", "> 40017d34 f1aa" + Reset, Format, "BAD-09 7252-3.1-2"),
        new("Delta 15 with length 14", "> 40017d34 fe" + Reset, Format, "BAD-09 7252-3.1-2"),
        new("Length 15 with delta 1", "> 40017d34 1f" + Reset, Format, "BAD-10 7252-3.1-3"),
        new("Length 15 and bytes", "> 40017d34 bf'test'" + Reset, Format, "BAD-10 7252-3.1-3"),
        .. Cut("Option of delta 13", "40017d34", "d1 00 61", "BAD-11 BAD-15 7252-3.1-4"),
        .. Cut("Option of delta 14", "40017d34", "e1 00f3 61", "BAD-12 BAD-15 7252-3.1-4"),
        .. Cut("Option of length 13", "40017d34", "bd 00 [61*13]", "BAD-13 BAD-15 7252-3.1-4"),
        .. Cut("Option of length 14", "40017d34", "be 0000 [61*269]", "BAD-14 BAD-15 7252-3.1-4"),
        .. Cut("Option of delta and length 14", "40017d34", "ee 00f3 0000 [61*269]", "BAD-12 BAD-14 7252-3.1-4"),
        .. Cut("Option of length 4", "40017d34", "b4 'test'", "BAD-15 7252-3.1-4"),
        new("A length of 65,804 in a datagram of 8 bytes", "> 40017d34 be ffff 61" + Reset, Format, "BAD-15 7252-3.1-4"),
        new("Two deltas of 65,804", "> 40017d34 e0ffff e0ffff" + Reset, Format, "BAD-19 7252-3.1-4"),
        new("A delta of 65,804", "> 40017d34 e0ffff" + Reset, Format, "BAD-19 7252-3.1-4"),
        new("Number 65,536, the first that is none", "> 40017d34 e0 fef3" + Reset, Format, "BAD-19 7252-3.1-4"),
        new("Number 65,536 by many small steps", "> 40017d34 e0 fef2 10" + Reset, Format, "BAD-19 7252-3.1-4"),
        new("Number 65,535, the last one, which is critical", "> 40017d34 e0 fef2 ; < 6082 7d34 ..", CoapCounter.BadOptions,
            "7252-5.4.1-2 7252-3.1-5"),
        new("Number 65,534, elective", "> 40017d34 b1'x' e0 fee6 ; < 6045 7d34 c0 ff 'hi'", CoapCounter.RequestsReceived,
            "7252-5.4.1-1 7252-3.1-5"),
        new("1,399 options of no length", "> 40017d34 [00*1399]" + Reset, Format, "7252-3.1-4"),
        new("257 options, one more than are taken", "> 40017d34 b1'x' [d000*1] [00*255]" + Reset, Format, "7252-3.1-4"),
        new("256 options, as many as are taken", "> 40017d34 b1'x' d1 f4 00 [00*254] ; < 6045 7d34 c0 ff 'hi'",
            CoapCounter.RequestsReceived, "7252-5.4.1-1"),

        // Longer than a datagram may be here: 4.13, as the end was not seen and nothing can be said of the format.
        new("65,503 options of no length", "> 40017d34 [00*65503] ; < 608d 7d34 ..", CoapCounter.TruncatedDatagrams, "7252-4.6-1"),
        new("65,503 options of no length, Non-confirmable", "> 50017d34 [00*65503] ; < 508d ..", CoapCounter.TruncatedDatagrams,
            "7252-4.6-1"),
        new("A response of 65,507 bytes", "> 40457d34 ff [61*65502] ; < 7000 7d34", CoapCounter.TruncatedDatagrams,
            "7252-4.6-1 7252-4.2-2"),
        new("An acknowledgement of 65,507 bytes", "> 60457d34 ff [61*65502]", CoapCounter.TruncatedDatagrams, "7252-4.6-1 7252-4.2-5"),
        new("Random bytes of a first half that looks well", "> 40017d34 b1'x' 37 db8a01c5f2 e900 ff" + Reset, Format,
            "7252-3.1-4 7252-4.2-2"),
    ];

    /// <summary>Everything that follows a header, cut after each byte (of long ones: after the first ones, and before the last).</summary>
    private static IEnumerable<HostileRow> Cut(string name, string header, string rest, string rfc)
    {
        byte[] bytes = CoAP.NET.Testing.Peers.DatagramBytePattern.Parse(HostileScript.Expand(rest)).ToBytes();
        bool isToken = name.StartsWith("Token", StringComparison.Ordinal);
        for (int length = isToken ? 0 : 1; length < bytes.Length; length++)
        {
            if (length < 7 || length == bytes.Length - 1)
            {
                string hex = Convert.ToHexStringLower(bytes.AsSpan(0, length));
                yield return new HostileRow($"{name}, {length} of {bytes.Length} bytes", $"> {header} {hex}{Reset}", Format,
                    rfc + " 7252-4.2-2");
                yield return new HostileRow($"{name}, {length} of {bytes.Length} bytes, Non-confirmable", $"> 5{header[1..]} {hex}", Format,
                    rfc + " 7252-4.3-2");
            }
        }
    }

    /// <summary>
    /// Each type with each kind of code, with nothing, a token, options or a payload behind the header (RFC 7252 table 1).
    /// </summary>
    // Class 3 is reserved by section 3, though the list of reserved classes in section 4.2 leaves it out; what is sent is the same either
    // way.
    private static IEnumerable<HostileRow> Matrix()
    {
        (string Code, string Kind)[] codes =
        [
            ("00", "Empty"), ("01", "request"), ("1f", "unknown method"), ("20", "reserved"), ("3f", "reserved"), ("40", "response"),
            ("45", "response"), ("5f", "response"), ("60", "reserved"),
            ("84", "response"), ("a0", "response"), ("bf", "response"), ("c0", "reserved"), ("e0", "reserved"), ("e1", "signalling"),
            ("e2", "signalling"), ("e5", "signalling"), ("ff", "reserved"),
        ];
        (string Name, char Tkl, string Tail)[] rests = [("nothing", '0', ""), ("a token", '2', "aabb"), ("options", '0', "b1 'x'"),
            ("a payload", '0', "ff 'x'"), ("a lone marker", '0', "ff")];
        foreach (CoapMessageType type in Enum.GetValues<CoapMessageType>())
        {
            foreach ((string code, string kind) in codes)
            {
                foreach ((string name, char tkl, string rest) in rests)
                {
                    string what = string.Create(CultureInfo.InvariantCulture,
                        $"{type} of {Convert.ToInt32(code, 16) >> 5}.{Convert.ToInt32(code, 16) & 31:d2} ({kind}) with {name}");
                    string bytes = $"> {4 + (int)type}{tkl} {code} 7d34 {rest}";
                    (string answer, CoapCounter counter, string rfc) = Expected(type, code, kind, name);
                    yield return new HostileRow(what, bytes + answer, counter, rfc);
                }
            }
        }
    }

    private static (string Answer, CoapCounter Counter, string Rfc) Expected(CoapMessageType type, string code, string kind, string rest)
    {
        bool isMalformed = rest == "a lone marker" || (kind == "Empty" && rest != "nothing");
        string format = kind == "Empty" ? "BAD-06 BAD-07 7252-4.1-1" : "BAD-08 7252-3-3";
        switch (type)
        {
            case CoapMessageType.Confirmable when isMalformed:
                return (Reset, Format, format + " 7252-4.2-2");
            case CoapMessageType.Confirmable when kind is "Empty":
                return (Reset, CoapCounter.ResetsSent, "BAD-21 7252-4.2-2");
            case CoapMessageType.Confirmable when kind is "reserved" or "signalling":
                return (Reset, Format, "BAD-16 7252-4.2-2");
            case CoapMessageType.Confirmable when kind is "response":
                return (Reset, CoapCounter.UnmatchedResponses, "BAD-24 BAD-27 7252-5.3.2-3");
            case CoapMessageType.Confirmable:
                return ("; < " + Response("6", "7d34", code, rest), CoapCounter.RequestsReceived, "BAD-28 7252-5.8-1 7252-4.2-1");
            case CoapMessageType.NonConfirmable when isMalformed:
                return ("", Format, format + " 7252-4.3-2");
            case CoapMessageType.NonConfirmable when kind is "reserved" or "signalling":
                return ("", Format, "BAD-16 7252-4.3-2");
            case CoapMessageType.NonConfirmable when kind is "Empty":
                return ("", CoapCounter.Ignored, "BAD-20 7252-4.3-1 7252-4.3-2");
            case CoapMessageType.NonConfirmable when kind is "response":
                return ("", CoapCounter.UnmatchedResponses, "BAD-25 7252-4.3-2");
            case CoapMessageType.NonConfirmable:
                return ("; < " + Response("5", "????", code, rest), CoapCounter.RequestsReceived, "7252-5.8-1 7252-5.2.3-1");
            case CoapMessageType.Acknowledgement when isMalformed:
                return ("", Format, "BAD-23 7252-4.2-5");
            case CoapMessageType.Acknowledgement or CoapMessageType.Reset when kind is "reserved" or "signalling":
                return ("", Format, "BAD-17 BAD-18 7252-4.2-5");
            case CoapMessageType.Acknowledgement when kind is "Empty" or "response":
                return ("", CoapCounter.UnmatchedAcknowledgements, "BAD-22 BAD-26 7252-4.2-5");
            case CoapMessageType.Acknowledgement:
                return ("", CoapCounter.Ignored, "BAD-17 7252-4.2-5");
            case CoapMessageType.Reset when isMalformed:
                return ("", Format, "BAD-18 7252-4.2-5");
            case CoapMessageType.Reset when kind is "Empty":
                return ("", CoapCounter.UnmatchedAcknowledgements, "BAD-22 7252-4.2-5");
            default:
                return ("", CoapCounter.Ignored, "BAD-18 7252-4.2-5");
        }
    }

    // GET of the root is 4.04, of /x 2.05; a method that nobody knows is 4.05 everywhere (RFC 7252 section 5.8), unless there is no
    // resource.
    private static string Response(string type, string id, string code, string rest)
    {
        string token = rest == "a token" ? "2" : "0";
        string tokenBytes = rest == "a token" ? " aabb" : "";
        string answer = code == "01" ? (rest == "options" ? "45" : "84") : "85";
        return $"{type}{token} {answer} {id}{tokenBytes} ..";
    }

    /// <summary>
    /// What a server may answer a GET with that is no response to it. The request goes on, as if nothing had come, and its response
    /// completes it.
    /// </summary>
    private static IEnumerable<HostileRow> Responses()
    {
        (string Name, string Bytes, CoapCounter Counter, string Rfc)[] ignored =
        [
            ("no byte", "", CoapCounter.Ignored, "BAD-01"),
            ("three bytes", "64 45 7d", CoapCounter.Ignored, "BAD-01"),
            ("version 2", "a4 45 <mid> <token> ff 'x'", CoapCounter.Ignored, "BAD-02 7252-3-1"),
            ("an acknowledgement with a lone marker", "64 45 <mid> <token> ff", Format, "BAD-08 7252-3-3"),
            ("an acknowledgement of TKL 15", "6f 45 <mid> <token> ff 'x'", Format, "BAD-04 7252-3-2"),
            ("an acknowledgement with a short token", "64 45 <mid> aabb", Format, "BAD-05"),
            ("an Empty acknowledgement with a token", "64 00 <mid> <token>", Format, "BAD-23 7252-4.1-1"),
            ("an Empty acknowledgement with a payload", "60 00 <mid> ff 'x'", Format, "BAD-23 7252-4.1-1"),
            ("a cut option in an acknowledgement", "64 45 <mid> <token> d1", Format, "BAD-11"),
            ("delta 15 in an acknowledgement", "64 45 <mid> <token> f0", Format, "BAD-09 7252-3.1-2"),
            ("number 65,536 in an acknowledgement", "64 45 <mid> <token> e0 fef3", Format, "BAD-19"),
            ("an acknowledgement with a request", "64 01 <mid> <token> b1 'x'", CoapCounter.Ignored, "BAD-17"),
            ("an acknowledgement of a reserved class", "64 c5 <mid> <token> ff 'x'", Format, "BAD-17"),
            ("an acknowledgement with a signalling code", "64 e3 <mid> <token>", Format, "BAD-17"),
            ("a Reset that is not Empty", "74 45 <mid> <token>", CoapCounter.Ignored, "BAD-18"),
            ("a Reset with a payload", "70 00 <mid> ff 'x'", Format, "BAD-18"),
            ("an acknowledgement longer than datagrams may be", "64 45 <mid> <token> ff [61*2000]", CoapCounter.TruncatedDatagrams,
                "7252-4.6-1"),
            ("a Non-confirmable Empty message", "50 00 0001", CoapCounter.Ignored, "BAD-20"),
            ("a Non-confirmable response with a lone marker", "54 45 0001 <token> ff", Format, "BAD-08"),
            ("a Non-confirmable response of a reserved class", "54 c5 0001 <token> ff 'x'", Format, "BAD-16"),
            ("a Non-confirmable response with a cut option", "54 45 0001 <token> e1 00", Format, "BAD-12"),
        ];
        foreach ((string name, string bytes, CoapCounter counter, string rfc) in ignored)
        {
            yield return new HostileRow(
                $"A GET is answered by {name}",
                $"get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > {bytes} ; = pending ; > 64 45 <mid> <token> ff 'right' ; = 2.05 right",
                counter, rfc + " 7252-4.2-5 7252-4.3-2");
        }

        (string Name, string Bytes, string Rfc)[] rejected =
        [
            ("a Confirmable response with a lone marker", "44 45 7d34 <token> ff", "BAD-08"),
            ("a Confirmable response of a reserved class", "44 c5 7d34 <token> ff 'x'", "BAD-16"),
            ("a Confirmable response with length 15", "44 45 7d34 <token> 1f", "BAD-10"),
            ("a Confirmable response with a cut value", "44 45 7d34 <token> 44 61", "BAD-15"),
            ("a Confirmable response of TKL 15", "4f 45 7d34 <token>", "BAD-04"),
            ("a Confirmable Empty message with a token", "44 00 7d34 <token>", "BAD-06"),
        ];
        foreach ((string name, string bytes, string rfc) in rejected)
        {
            yield return new HostileRow(
                $"A GET is answered by {name}",
                $"get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > {bytes} ; < 7000 7d34 ; = pending ; > 64 45 <mid> <token> ff 'right' ; = "
                    + "2.05 right", Format, rfc + " 7252-4.2-2");
        }

        yield return new HostileRow(
            "A GET is answered by a ping",
            "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 4000 7d34 ; < 7000 7d34 ; = pending ; > 64 45 <mid> <token> ff 'right' ; = 2.05 "
                + "right", CoapCounter.ResetsSent, "BAD-21");

        // A client that has no resources answers requests nevertheless, as each endpoint does.
        yield return new HostileRow(
            "A GET is answered by a GET",
            "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 44 01 7d34 <token> b1 'x' ; < 64 84 7d34 <token> .. ; = pending ; > 64 45 <mid> "
                + "<token> ff 'right' ; = 2.05 right",
            CoapCounter.RequestsReceived, "7252-4.2-1");
        yield return new HostileRow(
            "A response code that nobody knows is told as it is",
            "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 5e <mid> <token> ff 'x' ; = 2.30 x", CoapCounter.RequestsSent,
            "7252-5.2.1-1");
    }
}
