using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>RFC 8323 section 5: capabilities, Ping, Release and Abort, said too early, too often, wrongly or not at all.</summary>
internal static class SignallingTable
{
    private const string Csm = "> 50 e1 23 100000 20 ; ";
    private const string GetX = "> 21 01 aa b1'x' ; ";
    private const string Hi = "< 41 45 aa c0 ff 'hi'";
    private const string Ask = "get /x ; < 24 01 <token:4> b1 'x' ; ";

    // Not a GET, which would be sent once more on another connection.
    private const string Post = "post /x ; < 24 02 <token:4> b1 'x' ; ";
    private const CoapCounter Aborted = CoapCounter.ConnectionsAborted;

    public static HostileTable Table { get; } = new("signalling", [], [], [.. Capabilities(), .. Pings(), .. Ends()], [.. Clients()]);

    private static IEnumerable<HostileRow> Capabilities() =>
    [
        new("A request before the CSM", GetX + "aborted", Aborted, "8323-3.3-1 8323-3.3-3"),
        new("A Ping before the CSM", "> 01 e2 42 ; aborted", Aborted, "8323-3.3-3"),
        new("A response before the CSM", "> 01 45 aa ; aborted", Aborted, "8323-3.3-3"),
        new("No CSM", "open ; ~ 120 ; aborted", CoapCounter.SlowConnections, "8323-3.3-3"),
        new("A CSM twice", Csm + "> 00 e1 ; " + GetX + Hi, CoapCounter.RequestsReceived, "8323-5.3-1"),
        new("A thousand CSMs", Csm + "1000x> 50 e1 23 100000 20 ; " + GetX + Hi, CoapCounter.RequestsReceived, "8323-5.3-1"),
        new("A CSM with a payload", "> 20 e1 ff 'x' ; " + GetX + Hi, CoapCounter.RequestsReceived, "8323-5.3-1"),
        new("A CSM with a token", "> 51 e1 aa 23 100000 20 ; " + GetX + Hi, CoapCounter.RequestsReceived, "8323-5.3-1"),
        new("A critical option that nobody knows in the CSM", "> 10 e1 10 ; aborted Bad-CSM-Option: 1", Aborted, "8323-5.2-1"),
        new("A critical option that nobody knows in a later CSM", Csm + "> 10 e1 90 ; aborted Bad-CSM-Option: 9", Aborted, "8323-5.2-1"),
        new("An elective option that nobody knows in the CSM", "> 30 e1 e0 0001 ; " + GetX + Hi, CoapCounter.RequestsReceived,
            "8323-5.2-1"),
        new("Max-Message-Size of five bytes", "> 60 e1 25 0100000000 ; " + GetX + Hi, CoapCounter.RequestsReceived,
            "7252-5.4.3-1 8323-5.3.1-1"),
        new("Max-Message-Size 0", "> 10 e1 20 ; > 21 01 aa b1'x' ; < ?? ..", CoapCounter.RequestsReceived, "8323-5.3.1-1"),
        new("Max-Message-Size of 4 GiB", "> 50 e1 24 ffffffff ; " + GetX + Hi, CoapCounter.RequestsReceived, "8323-5.3.1-1"),
        new("Max-Message-Size is lowered, so that an answer must be cut", Csm + "> 20 e1 21 80 ; > 41 01 aa b3'big' ; < d1 ?? 45 aa ..",
            CoapCounter.RequestsReceived, "8323-5.3.1-1 8323-5.3-1"),
        new("Extended-Token-Length of 16,777,215", "> 40 e1 63 ffffff ; " + GetX + Hi, CoapCounter.RequestsReceived, "8974-2.2.1-1"),
        new("Extended-Token-Length 0", "> 10 e1 60 ; " + GetX + Hi, CoapCounter.RequestsReceived, "8974-2.2.1-1"),
        new("A token of 65 bytes, more than our CSM allows", Csm + "> 2d 01 34 [aa*65] b1'x' ; aborted", Aborted, "8974-2.2.1-2"),
    ];

    private static IEnumerable<HostileRow> Pings() =>
    [
        new("A Ping", Csm + "> 01 e2 42 ; < 01 e3 42", Aborted, "8323-5.4-1", 0),
        new("A thousand Pings", Csm + "1000x> 01 e2 42 ; 1000x< 01 e3 42 ; open", Aborted, "8323-5.4-1", 0),
        new("A Ping with Custody", Csm + "> 11 e2 42 20 ; < 11 e3 42 20", Aborted, "8323-5.4.1-1", 0),
        new("A Ping with Custody of one byte is one without", Csm + "> 21 e2 42 21 61 ; < ?1 e3 42 ..", Aborted, "7252-5.4.3-1 8323-5.4-1",
            0),
        new("A Ping with a critical option that nobody knows", Csm + "> 11 e2 42 10 ; aborted", Aborted, "8323-5.2-1"),
        new("A Ping with an elective option that nobody knows", Csm + "> 11 e2 42 40 ; < 01 e3 42", Aborted, "8323-5.4-1", 0),
        new("A Ping with a payload", Csm + "> 21 e2 42 ff 'x' ; < 01 e3 42", Aborted, "8323-5.4-1", 0),
        new("A Pong that nobody asked for", Csm + "> 01 e3 42 ; open ; " + GetX + Hi, Aborted, "8323-5.4-1", 0),

        // The RFC does not say what is done with codes that are none yet; they are ignored, so that a later one does no harm.
        new("Signalling code 7.00", Csm + "> 00 e0 ; " + GetX + Hi, CoapCounter.Ignored, "8323-5.2-2"),
        new("Signalling code 7.06, which is none yet", Csm + "> 00 e6 ; " + GetX + Hi, CoapCounter.Ignored, "8323-5.2-2"),
        new("Signalling code 7.31", Csm + "> 00 ff ; " + GetX + Hi, CoapCounter.Ignored, "8323-5.2-2"),
    ];

    private static IEnumerable<HostileRow> Ends() =>
    [
        new("An Abort", Csm + "> 00 e5 ; closed", CoapCounter.AbortsReceived, "8323-5.6-1"),
        new("An Abort with a diagnostic that is no text", Csm + "> 40 e5 ff ff00fe ; closed", CoapCounter.AbortsReceived, "8323-5.6-1"),
        new("An Abort before the CSM", "> 00 e5 ; aborted", Aborted, "8323-3.3-3"),
        new("An Abort with a request under way", Csm + "> 51 01 bb b4'slow' ; > 00 e5 ; closed ; release", CoapCounter.AbortsReceived,
            "8323-5.6-1"),
        new("A Release with nothing under way", Csm + "> 00 e4 ; < 00 00 ; closed", Aborted, "8323-5.5-1", 0),
        new("A Release with a request under way",
            Csm + "> 51 01 bb b4'slow' ; > 00 e4 ; open ; release ; < 61 45 bb c0 ff 'late' ; < 00 00 ; closed", Aborted, "8323-5.5-1", 0),
        new("A Release with a critical option that nobody knows", Csm + "> 10 e4 10 ; aborted", Aborted, "8323-5.2-1"),
        new("A Release to another address, which is not trusted", Csm + "> 90 e4 28 '10.9.9.9' ; < 00 00 ; closed",
            CoapCounter.ConnectionsOpened, "8323-10.1-1", 0),
        new("A Release before the CSM", "> 00 e4 ; aborted", Aborted, "8323-3.3-3"),
    ];

    private static IEnumerable<HostileRow> Clients() =>
    [
        new("A server that answers before its CSM", Post + "> 24 45 <token> ff 'x' ; aborted ; = CoapConnectionException", Aborted,
            "8323-3.3-3"),
        new("A server that sends no CSM", Post + "~ 120 ; aborted ; = CoapConnectionException", CoapCounter.SlowConnections, "8323-3.3-3"),
        new("A server whose CSM has a critical option that nobody knows",
            Post + "> 10 e1 10 ; aborted Bad-CSM-Option: 1 ; = CoapConnectionException", Aborted, "8323-5.2-1"),
        new("A server that aborts", Post + Csm + "> 00 e5 ; closed ; = CoapConnectionException", CoapCounter.AbortsReceived, "8323-5.6-1"),
        new("A server that answers under another token",
            Ask + Csm + "> 24 45 00000000 ff 'x' ; = pending ; > 24 45 <token> ff 'y' ; = 2.05 y", CoapCounter.UnmatchedResponses,
            "8323-3.3-4 7252-5.3.2-3"),
        new("A server that answers twice", Ask + Csm + "> 24 45 <token> ff 'y' ; = 2.05 y ; > 24 45 <token> ff 'z'",
            CoapCounter.UnmatchedResponses, "8323-3.3-4 7252-5.3.2-3"),
        new("A server that answers with a lone marker", Post + Csm + "> 14 45 <token> ff ; aborted ; = CoapConnectionException", Aborted,
            "8323-5.6-1 BAD-08"),
        new("A server that answers with a critical option that nobody knows",
            Ask + Csm + "> 54 45 <token> e0 2602 ff 'x' ; = CoapProtocolException", CoapCounter.BadOptions, "7252-5.4.1-3"),
        new("A server that answers with a reserved class", Post + Csm + "> 04 c5 <token> ; aborted ; = CoapConnectionException", Aborted,
            "8323-5.6-1"),
        new("A server that announces a response of 4 GiB", Post + Csm + "> f4 ffffffff 45 <token> ; aborted ; = CoapConnectionException",
            CoapCounter.FramesRefused, "8323-5.3.1-2"),
        new("A server that sends Empty messages first", Ask + Csm + "1000x> 00 00 ; > 24 45 <token> ff 'y' ; = 2.05 y",
            CoapCounter.RequestsSent, "8323-3.4-1"),
        new("A server that asks back", Ask + Csm + "> 21 01 bb b1'x' ; < 41 45 bb c0 ff 'hi' ; > 24 45 <token> ff 'y' ; = 2.05 y",
            CoapCounter.RequestsReceived, "8323-3.3-5"),
        new("A server that is one of HTTP", Post + "> 'HTTP/1.1 400 Bad Request' 0d0a0d0a ; aborted ; = CoapConnectionException", Aborted,
            "8323-3.3-3"),
    ];
}
