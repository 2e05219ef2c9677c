using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>RFC 8323 section 3: lengths, tokens and codes in frames, frames that are cut, and what is no CoAP at all.</summary>
internal static class FrameTable
{
    private const string Csm = "> 50 e1 23 100000 20 ; ";
    private const string GetX = "> 21 01 aa b1'x' ; ";
    private const string Hi = "< 41 45 aa c0 ff 'hi'";
    private const CoapCounter Aborted = CoapCounter.ConnectionsAborted;
    private const CoapCounter Format = CoapCounter.FormatErrors;
    private const CoapCounter Refused = CoapCounter.FramesRefused;
    private const CoapCounter Requests = CoapCounter.RequestsReceived;

    public static HostileTable Table { get; } = new("frames", [], [], [.. Lengths(), .. Contents(), .. Streams(), .. Foreign()], []);

    // The world takes messages of up to 20,000 bytes.
    private static IEnumerable<HostileRow> Lengths() =>
    [
        new("Length 12 in the first form", Csm + "> c1 03 aa b4'body' ff [61*6] ; < ?1 44 aa ..", Requests, "8323-3.2-1"),
        new("Length 13 in the second form", Csm + "> d1 00 03 aa b4'body' ff [61*7] ; < ?1 44 aa ..", Requests, "8323-3.2-1"),
        new("Length 268 in the second form", Csm + "> d1 ff 03 aa b4'body' ff [61*262] ; < ?1 44 aa ..", Requests, "8323-3.2-1"),
        new("Length 269 in the third form", Csm + "> e1 0000 03 aa b4'body' ff [61*263] ; < ?1 44 aa ..", Requests, "8323-3.2-1"),
        new("The longest message that is taken", Csm + "> e1 4d0e 03 aa b4'body' ff [61*19989] ; < ?1 44 aa ..", Requests, "8323-5.3.1-2"),
        new("One byte more than is taken", Csm + "> e1 4d0f 03 ; aborted", Refused, "8323-5.3.1-2"),
        new("Length 65,804 in the third form", Csm + "> e1 ffff 03 ; aborted", Refused, "8323-3.2-1 8323-5.3.1-2"),
        new("Length 65,805 in the fourth form", Csm + "> f1 00000000 03 ; aborted", Refused, "8323-3.2-1 8323-5.3.1-2"),
        new("Length 2^31 - 1", Csm + "> f1 7ffefef2 03 ; aborted", Refused, "8323-5.3.1-2"),
        new("Length 2^31", Csm + "> f1 7ffefef3 03 ; aborted", Refused, "8323-5.3.1-2"),
        new("Length 2^32 - 1, and what is added wraps", Csm + "> f1 fffefef2 03 ; aborted", Refused, "8323-5.3.1-2"),
        new("Length 2^32, which wraps to 0", Csm + "> f1 fffefef3 03 ; aborted", Refused, "8323-5.3.1-2"),
        new("The largest length of all", Csm + "> f1 ffffffff 03 ; aborted", Refused, "8323-5.3.1-2"),
        new("The largest length of all as the first frame", "> f1 ffffffff e1 ; aborted", Refused, "8323-5.3.1-2"),
        new("A length byte by byte", Csm + "drip f1 ffffffff 03 ; aborted", Refused, "8323-5.3.1-2"),
        new("A request byte by byte", Csm + "drip 21 01 aa b1'x' ; " + Hi, Requests, "8323-3.2-1"),
    ];

    private static IEnumerable<HostileRow> Contents() =>
    [
        new("TKL 15", Csm + "> 0f 01 [aa*15] ; aborted", Format, "7252-3-2 8323-5.6-1"),
        new("A lone marker", Csm + "> 10 01 ff ; aborted", Format, "BAD-08 8323-5.6-1"),
        new("Delta 15", Csm + "> 10 01 f0 ; aborted", Format, "BAD-09 8323-5.6-1"),
        new("Length 15", Csm + "> 10 01 1f ; aborted", Format, "BAD-10 8323-5.6-1"),
        new("A cut option", Csm + "> 10 01 d1 ; aborted", Format, "BAD-11 8323-5.6-1"),
        new("A cut value", Csm + "> 20 01 b4 61 ; aborted", Format, "BAD-15 8323-5.6-1"),
        new("Number 65,536", Csm + "> 30 01 e0 fef3 ; aborted", Format, "BAD-19 8323-5.6-1"),
        new("257 options", Csm + "> e0 0000 01 [00*269] ; aborted", Format, "8323-5.6-1"),
        new("A reserved class 1", Csm + "> 00 20 ; aborted", Format, "8323-5.6-1"),
        new("A reserved class 6", Csm + "> 00 c0 ; aborted", Format, "8323-5.6-1"),
        new("An Empty message", Csm + "> 00 00 ; " + GetX + Hi, Aborted, "8323-3.4-1", 0),
        new("An Empty message with a token", Csm + "> 01 00 aa ; open ; " + GetX + Hi, Aborted, "8323-3.4-1", 0),
        new("A hundred thousand Empty messages", Csm + "100x> [0000*1000] ; open ; " + GetX + Hi, Aborted, "8323-3.4-1", 0),
        new("A response that nobody waits for", Csm + "> 21 45 aa ff 'x' ; open ; " + GetX + Hi, CoapCounter.UnmatchedResponses,
            "7252-5.3.2-3"),
        new("An unknown method", Csm + "> 21 1f aa b1'x' ; < 01 85 aa", Requests, "7252-5.8-1"),
        new("A critical option that nobody knows", Csm + "> 51 01 aa b1'x' e0 2601 ; < ?? ..", CoapCounter.BadOptions, "7252-5.4.1-2"),
        new("Size exponent 7 without BERT", "> 00 e1 ; > 61 01 aa b3'big' c1 07 ; < d1 ?? 80 aa ..", Requests, "8323-6-1 7959-2.2-1"),
        new("Observe 0 and the connection breaks", Csm + "> 51 01 aa 60 53'obs' ; < ?1 45 aa .. ; break ; closed",
            CoapCounter.Registrations, "7641-8323-2 8323-7.4-1"),
        new("One token for two requests in a row", Csm + GetX + GetX + Hi + " ; " + Hi, Requests, "8323-3.3-4", 2),
        new("One token for two requests, the first not answered yet",
            Csm + "> 51 01 aa b4'slow' ; " + GetX + Hi + " ; release ; < 61 45 aa c0 ff 'late'", Requests, "8323-3.3-4", 2),
        new("A hundred requests in one piece", Csm + "> [2101aab178*100] ; 100x" + Hi, Requests, "8323-3.3-4", 100),
    ];

    private static IEnumerable<HostileRow> Streams() =>
    [
        new("The peer closes its side after a request", Csm + GetX + "end ; " + Hi + " ; < 00 00 ; closed", Requests, "8323-3.4-2"),
        new("The peer closes its side while a request is under way",
            Csm + "> 51 01 aa b4'slow' ; end ; release ; < 61 45 aa c0 ff 'late' ; < 00 00 ; closed", Requests, "8323-3.4-2"),
        new("The peer closes its side within a frame", Csm + "> 21 01 aa ; end ; < 00 00 ; closed", Aborted, "8323-3.4-2", 0),
        new("The peer closes its side at once", "end ; < 00 00 ; closed", Aborted, "8323-3.4-2", 0),
        new("The connection breaks within a frame", Csm + "> e1 4000 03 aa ; break ; closed", CoapCounter.ConnectionsLost, "8323-3.4-2"),
        new("The connection breaks while a request is under way", Csm + "> 51 01 aa b4'slow' ; break ; closed ; release",
            CoapCounter.ConnectionsLost, "8323-3.4-2"),
        new("A frame that is never finished", Csm + "> e1 4000 03 aa ; ~ 120 ; aborted", CoapCounter.SlowConnections, "8323-5.6-1"),
        new("A CSM that is never finished", "> 50 e1 23 ; ~ 120 ; aborted", CoapCounter.SlowConnections, "8323-3.3-3"),
        new("Bytes after an Abort", Csm + "> 00e5 2101aab178 ; closed", CoapCounter.AbortsReceived, "8323-5.6-1"),
        new("Bytes after what is aborted", Csm + "> 1001ff 2101aab178 ; aborted", Aborted, "8323-5.6-1"),
    ];

    private static IEnumerable<HostileRow> Foreign() =>
    [
        new("HTTP", "> 'GET / HTTP/1.1' 0d0a 'Host: a' 0d0a0d0a ; aborted", Aborted, "8323-3.3-3"),
        new("HTTP 2", "> 'PRI * HTTP/2.0' 0d0a0d0a 'SM' 0d0a0d0a ; aborted", Aborted, "8323-3.3-3"),
        new("A ClientHello of TLS", "> 16 0301 00c8 01 0000c4 0303 [5a*195] ; aborted", Aborted, "8323-3.3-3"),
        new("SSH", "> 'SSH-2.0-OpenSSH_9.6' 0d0a ; ~ 120 ; aborted", Aborted, "8323-3.3-3"),
        new("SMB", "> 00 000054 ff 'SMB' 72 [00*70] ; aborted", Aborted, "8323-3.3-3"),
        new("Zeros", "> [00*1000] ; ~ 120 ; aborted", Aborted, "8323-3.3-3 8323-3.4-1"),
        new("Ones", "> [ff*1000] ; aborted", Aborted, "8323-5.6-1"),
        new("A datagram of CoAP", "> 40 01 7d34 b1'x' ; aborted", Aborted, "8323-3.3-3"),
    ];
}
