using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>Games with Message IDs, tokens and addresses (RFC 7252 sections 4.4, 4.5 and 5.3).</summary>
internal static class NumberTable
{
    private const string Count = "41 02 7d34 01 b5 'count'";
    private const string Slow = "> 41 01 7d34 01 b4 'slow' ; ~ 4.9 ; < 60 00 7d34 ; ~ 0.2 ; < 41 45 <mid:2> 01 c0 ff 'late' ; ";
    private const string Get = "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; ";
    private const string Right = " ; = pending ; > 64 45 <mid> <token> ff 'right' ; = 2.05 right";

    public static HostileTable Table { get; } = new("Message IDs and tokens", [.. Duplicates(), .. Acknowledgements(), .. Sources()],
        [.. Responses()], [], []);

    private static IEnumerable<HostileRow> Duplicates() =>
    [
        new("A Confirmable POST twice runs once",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; > {Count} ; < 61 45 7d34 01 c0 ff '1' ; counted 1", CoapCounter.Duplicates,
            "7252-4.5-1"),
        new("A Confirmable POST a hundred times runs once", $"100x> {Count} ; 100x< 61 45 7d34 01 c0 ff '1' ; counted 1",
            CoapCounter.Duplicates, "7252-4.5-1", 99),
        new("A duplicate just within EXCHANGE_LIFETIME runs nothing",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; ~ 246 ; > {Count} ; < 61 45 7d34 01 c0 ff '1' ; counted 1", CoapCounter.Duplicates,
            "7252-4.5-1"),
        new("After EXCHANGE_LIFETIME it is another request",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; ~ 280 ; > {Count} ; < 61 45 7d34 01 c0 ff '2' ; counted 2",
            CoapCounter.RequestsReceived, "7252-4.5-1 7252-4.4-1", 2),
        new("A Non-confirmable POST twice runs once, in silence",
            $"> 5{Count[1..]} ; < 51 45 ???? 01 c0 ff '1' ; > 5{Count[1..]} ; counted 1", CoapCounter.Duplicates, "7252-4.5-2"),
        new("A Non-confirmable duplicate within NON_LIFETIME runs nothing",
            $"> 5{Count[1..]} ; < 51 45 ???? 01 c0 ff '1' ; ~ 144 ; > 5{Count[1..]} ; counted 1", CoapCounter.Duplicates, "7252-4.5-2"),
        new("After NON_LIFETIME it is another request",
            $"> 5{Count[1..]} ; < 51 45 ???? 01 c0 ff '1' ; ~ 180 ; > 5{Count[1..]} ; < 51 45 ???? 01 c0 ff '2' ; counted 2",
            CoapCounter.RequestsReceived, "7252-4.5-2", 2),
        new("A duplicate while the handler runs is acknowledged and starts nothing",
            "> 41 01 7d34 01 b4 'slow' ; > 41 01 7d34 01 b4 'slow' ; < 60 00 7d34 ; ~ 5.1 ; < 41 45 <mid:2> 01 c0 ff 'late' ; > 60 00 <mid>", CoapCounter.Duplicates, "7252-4.5-5"),
        new("A duplicate after the separate response is acknowledged and answered no more",
            Slow + "> 60 00 <mid> ; > 41 01 7d34 01 b4 'slow' ; < 60 00 7d34", CoapCounter.Duplicates, "7252-4.2-9 7252-5.2.2-1"),

        // The RFC goes by the Message ID alone; devices that restart begin with the same numbers, so other bytes are another request
        // (docs/architecture.md).
        new("The same Message ID with another token is another request",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; > 41 02 7d34 02 b5 'count' ; < 61 45 7d34 02 c0 ff '2' ; counted 2",
            CoapCounter.MessageIdReused, "7252-4.5-3"),
        new("The same Message ID with another path is another request",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; > 41 01 7d34 01 b1 'x' ; < 61 45 7d34 01 c0 ff 'hi'", CoapCounter.MessageIdReused,
            "7252-4.5-3"),
        new("The same Message ID, Non-confirmable after Confirmable",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; > 5{Count[1..]} ; < 51 45 ???? 01 c0 ff '2'", CoapCounter.MessageIdReused,
            "7252-4.5-3"),
        new("The same Message ID with other bytes while the first runs, which nobody waits for any more",
            "> 41 01 7d34 01 b4 'slow' ; > 41 01 7d34 02 b1 'x' ; < 61 45 7d34 02 c0 ff 'hi' ; ~ 6", CoapCounter.MessageIdReused,
            "7252-4.5-3"),
        new("The same message from another port is another request",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; b> {Count} ; b< 61 45 7d34 01 c0 ff '2' ; counted 2", CoapCounter.RequestsReceived,
            "7252-4.5-3", 2),
        new("The same message from another host is another request",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; c> {Count} ; c< 61 45 7d34 01 c0 ff '2' ; counted 2", CoapCounter.RequestsReceived,
            "7252-4.5-3", 2),
        new("Two requests with one token are both answered",
            "> 41 01 7d34 01 b1 'x' ; < 61 45 7d34 01 c0 ff 'hi' ; > 41 01 7d35 01 b5 'hello' ; < 61 45 7d35 01 c0 ff 'world'",
            CoapCounter.RequestsReceived, "7252-5.3.1-1 7252-5.3.1-4", 2),
        new("Two requests with one token while the first runs are both answered",
            "> 41 01 7d34 01 b4 'slow' ; > 41 01 7d35 01 b5 'hello' ; < 61 45 7d35 01 c0 ff 'world' ; ~ 4.9 ; < 60 00 7d34 ; ~ 0.2 ; < 41 "
                + "45 <mid:2> 01 c0 ff 'late' ; > 60 00 <mid>", CoapCounter.RequestsReceived, "7252-5.3.1-1", 2),
        new("A malformed message with the Message ID of a request that was served",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; > 41 02 7d34 01 ff ; < 70 00 7d34 ; > {Count} ; < 61 45 7d34 01 c0 ff '1' ; counted 1", CoapCounter.FormatErrors, "7252-4.2-2 7252-4.5-1"),
        new("A ping with the Message ID of a request that was served",
            $"> {Count} ; < 61 45 7d34 01 c0 ff '1' ; > 40 00 7d34 ; < 70 00 7d34 ; > {Count} ; < 61 45 7d34 01 c0 ff '1' ; counted 1",
            CoapCounter.Duplicates, "7252-4.2-2 7252-4.5-1"),
    ];

    private static IEnumerable<HostileRow> Acknowledgements() =>
    [
        new("An acknowledgement of nothing", "> 6000 beef", CoapCounter.UnmatchedAcknowledgements, "BAD-22 7252-4.2-5"),
        new("A Reset of nothing", "> 7000 beef", CoapCounter.UnmatchedAcknowledgements, "BAD-22 7252-4.2-5"),
        new("A thousand Resets of nothing", "1000x> 7000 beef", CoapCounter.UnmatchedAcknowledgements, "BAD-22 7252-4.2-5", 1000),
        new("An acknowledgement from another port does not stop copies",
            Slow + "b> 60 00 <mid> ; ~ 3.1 ; < 41 45 <mid> 01 c0 ff 'late' ; > 60 00 <mid>", CoapCounter.UnmatchedAcknowledgements,
            "7252-4.4-2"),
        new("An acknowledgement from another host does not stop copies",
            Slow + "c> 60 00 <mid> ; ~ 3.1 ; < 41 45 <mid> 01 c0 ff 'late' ; > 60 00 <mid>", CoapCounter.UnmatchedAcknowledgements,
            "7252-4.4-2"),
        new("A Reset from another host does not stop copies",
            Slow + "c> 70 00 <mid> ; ~ 3.1 ; < 41 45 <mid> 01 c0 ff 'late' ; > 60 00 <mid>", CoapCounter.UnmatchedAcknowledgements,
            "7252-4.4-2"),
        new("An acknowledgement with a lone marker does not stop copies",
            Slow + "> 60 00 <mid> ff ; ~ 3.1 ; < 41 45 <mid> 01 c0 ff 'late' ; > 60 00 <mid>", CoapCounter.FormatErrors,
            "BAD-23 7252-4.2-5"),
        new("An acknowledgement that bears a response stops copies", Slow + "> 61 45 <mid> 01 ff 'x' ; ~ 10", CoapCounter.Retransmissions,
            "7252-5.2.2-3", 0),
        new("A Reset stops copies", Slow + "> 70 00 <mid> ; ~ 10", CoapCounter.Retransmissions, "7252-5.2.2-3", 0),
        new("A second acknowledgement is of nothing", Slow + "> 60 00 <mid> ; > 60 00 <mid>", CoapCounter.UnmatchedAcknowledgements,
            "7252-4.2-5"),
        new("A separate response that nobody acknowledges is given up",
            Slow + "~ 3.1 ; < 41 45 <mid> .. ; ~ 6 ; < 41 45 <mid> .. ; ~ 12 ; < 41 45 <mid> .. ; ~ 24 ; < 41 45 <mid> .. ; ~ 60",
            CoapCounter.TransmissionsGivenUp, "7252-4.2-6"),
    ];

    private static IEnumerable<HostileRow> Sources() =>
    [
        // Nobody can be at port 0, and a group or everybody is no peer: what answers there hits others (RFC 768, RFC 1122 section 3.2.1.3).
        new("A request from port 0", "raw 10.99.0.1:0 > 40 01 7d34 b1 'x' ; nothing", CoapCounter.Ignored, "7252-11.3-1"),
        new("A ping from port 0", "raw 10.99.0.1:0 > 40 00 7d34 ; nothing", CoapCounter.Ignored, "7252-11.3-1"),
        new("A request from a group", "raw 224.0.1.187:5683 > 40 01 7d34 b1 'x' ; nothing", CoapCounter.Ignored, "7252-11.3-1"),
        new("A request from everybody", "raw 255.255.255.255:5683 > 40 01 7d34 b1 'x' ; nothing", CoapCounter.Ignored, "7252-11.3-1"),
        new("A request from nobody", "raw 0.0.0.0:5683 > 40 01 7d34 b1 'x' ; nothing", CoapCounter.Ignored, "7252-11.3-1"),
        new("A request from a group of IPv6", "raw [ff02::fd]:5683 > 40 01 7d34 b1 'x' ; nothing", CoapCounter.Ignored, "7252-11.3-1"),

        // What this sends to itself must die out by itself.
        new("A ping from the server's own address",
            "raw 127.0.0.1:5683 > 40 00 7d34 ; rawto 70 00 7d34 ; raw 127.0.0.1:5683 > 70 00 7d34 ; nothing",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
        new("A malformed message from the server's own address",
            "raw 127.0.0.1:5683 > 40 01 7d34 ff ; rawto 70 00 7d34 ; raw 127.0.0.1:5683 > 70 00 7d34 ; nothing",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
        new("A request from the server's own address",
            "raw 127.0.0.1:5683 > 40 01 7d34 b1 'x' ; rawto 60 45 7d34 c0 ff 'hi' ; raw 127.0.0.1:5683 > 60 45 7d34 c0 ff 'hi' ; nothing",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
        new("A Non-confirmable request from the server's own address",
            "raw 127.0.0.1:5683 > 50 01 7d34 b1 'x' ; rawto 50 45 ???? c0 ff 'hi' ; raw 127.0.0.1:5683 > 50 45 7d35 c0 ff 'hi' ; nothing",
            CoapCounter.UnmatchedResponses, "7252-4.3-2"),
        new("A response from the server's own address",
            "raw 127.0.0.1:5683 > 40 45 7d34 ; rawto 70 00 7d34 ; raw 127.0.0.1:5683 > 70 00 7d34 ; nothing",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
    ];

    private static IEnumerable<HostileRow> Responses() =>
    [
        new("An acknowledgement with the right Message ID and another token", Get + "> 64 45 <mid> 00000000 ff 'x'" + Right,
            CoapCounter.UnmatchedResponses, "BAD-26 7252-5.3.2-2"),
        new("An acknowledgement with the right Message ID and no token", Get + "> 60 45 <mid> ff 'x'" + Right,
            CoapCounter.UnmatchedResponses, "BAD-26 7252-5.3.2-2"),
        new("An acknowledgement with a part of the token", Get + "> 64 45 <mid> <token> ff 'x' ; = 2.05 x ; > 64 45 <mid> <token> ff 'x'",
            CoapCounter.UnmatchedAcknowledgements, "7252-5.3.2-2"),
        new("An acknowledgement with the right token and another Message ID", Get + "> 64 45 7d34 <token> ff 'x'" + Right,
            CoapCounter.UnmatchedAcknowledgements, "7252-5.3.2-2"),
        new("A response from another port", Get + "b> 64 45 <mid> <token> ff 'x'" + Right, CoapCounter.UnmatchedAcknowledgements,
            "7252-5.3.2-1"),
        new("A response from another host", Get + "c> 64 45 <mid> <token> ff 'x'" + Right, CoapCounter.UnmatchedAcknowledgements,
            "7252-5.3.2-1"),
        new("A Confirmable response from another port", Get + "b> 44 45 7d34 <token> ff 'x' ; b< 70 00 7d34" + Right,
            CoapCounter.UnmatchedResponses, "7252-5.3.2-1"),
        new("A Confirmable response from another host", Get + "c> 44 45 7d34 <token> ff 'x' ; c< 70 00 7d34" + Right,
            CoapCounter.UnmatchedResponses, "7252-5.3.2-1"),
        new("A Non-confirmable response from another host", Get + "c> 54 45 7d34 <token> ff 'x'" + Right, CoapCounter.UnmatchedResponses,
            "7252-5.3.2-1"),
        new("A Reset from another host", Get + "c> 70 00 <mid>" + Right, CoapCounter.UnmatchedAcknowledgements, "7252-4.4-2"),
        new("An Empty acknowledgement from another port", Get + "b> 60 00 <mid>" + Right, CoapCounter.UnmatchedAcknowledgements,
            "7252-4.4-2"),
        new("A Confirmable response with another token", Get + "> 44 45 7d34 00000000 ff 'x' ; < 70 00 7d34" + Right,
            CoapCounter.UnmatchedResponses, "BAD-24 7252-5.3.2-3"),
        new("A Confirmable response with a longer token", Get + "> 45 45 7d34 <token> 00 ff 'x' ; < 70 00 7d34" + Right,
            CoapCounter.UnmatchedResponses, "7252-5.3.2-3"),
        new("A Non-confirmable response with another token", Get + "> 54 45 7d34 00000000 ff 'x'" + Right, CoapCounter.UnmatchedResponses,
            "BAD-25 7252-5.3.2-3"),
        new("A Confirmable response without a token", Get + "> 40 45 7d34 ff 'x' ; < 70 00 7d34" + Right, CoapCounter.UnmatchedResponses,
            "BAD-27 7252-5.3.2-3"),
        new("A Reset after the acknowledgement is of nothing",
            Get + "> 60 00 <mid> ; > 70 00 <mid> ; = pending ; > 54 45 7d34 <token> ff 'right' ; = 2.05 right",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
        new("A Reset ends the request", Get + "> 70 00 <mid> ; = Reset", CoapCounter.RequestsSent, "7252-4.2-8"),
        new("A separate response twice is acknowledged twice and delivered once",
            Get + "> 60 00 <mid> ; > 44 45 7d34 <token> ff 'x' ; < 60 00 7d34 ; = 2.05 x ; > 44 45 7d34 <token> ff 'x' ; < 60 00 7d34",
            CoapCounter.Duplicates, "7252-4.5-4"),
        new("A second response with another Message ID is rejected",
            Get + "> 44 45 7d34 <token> ff 'x' ; < 60 00 7d34 ; = 2.05 x ; > 44 45 7d35 <token> ff 'y' ; < 70 00 7d35",
            CoapCounter.UnmatchedResponses, "7252-5.3.2-3"),
        new("A second piggybacked response is of nothing", Get + "> 64 45 <mid> <token> ff 'x' ; = 2.05 x ; > 64 45 <mid> <token> ff 'y'",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
        new("A response after the request was cancelled is rejected",
            Get + "> 60 00 <mid> ; cancel ; = TaskCanceledException ; > 44 45 7d34 <token> ff 'x' ; < 70 00 7d34",
            CoapCounter.UnmatchedResponses, "7252-4.2-10 7252-5.3.2-3"),
        new("A ping with the Message ID of the request", Get + "> 40 00 <mid> ; < 70 00 <mid>" + Right, CoapCounter.ResetsSent,
            "7252-4.4-2"),
        new("A request with the Message ID and the token of the request",
            Get + "> 44 01 <mid> <token> b1 'x' ; < 64 84 <mid> <token> .." + Right, CoapCounter.RequestsReceived, "7252-4.4-2"),
        new("A Reset after the response is of nothing", Get + "> 64 45 <mid> <token> ff 'x' ; = 2.05 x ; > 70 00 <mid>",
            CoapCounter.UnmatchedAcknowledgements, "7252-4.2-5"),
    ];
}
