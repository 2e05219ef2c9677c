using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// RFC 9175 section 2: Echo values that are foreign, stale, cut or too long, towards a resource that asks for freshness and towards a
/// client.
/// </summary>
internal static class FreshnessTable
{
    private const string Put = "41 03 {0} 01 b5 'fresh'";
    private const string Challenged = "< 61 81 {0} 01 d? .. ; ";

    public static HostileTable Table { get; } = new("freshness", [.. Requests()], [.. Responses()], [], []);

    private static IEnumerable<HostileRow> Requests() =>
    [
        new("No Echo", At("> " + Put, "7d34") + " ; " + At(Challenged, "7d34"), CoapCounter.EchoChallenges, "9175-2.3-1"),
        new("An Echo of nobody", At("> " + Put, "7d34") + " d8 e4 [61*8] ; < 61 81 7d34 01 ..", CoapCounter.EchoChallenges, "9175-2.2.1-2"),
        new("An empty Echo", At("> " + Put, "7d34") + " d0 e4 ; < 61 81 7d34 01 ..", CoapCounter.EchoChallenges, "9175-2.2.1-1"),
        new("An Echo of one byte", At("> " + Put, "7d34") + " d1 e4 61 ; < 61 81 7d34 01 ..", CoapCounter.EchoChallenges, "9175-2.2.1-2"),
        new("An Echo of 40 bytes, the longest", At("> " + Put, "7d34") + " dd e4 1b [61*40] ; < 61 81 7d34 01 ..",
            CoapCounter.EchoChallenges, "9175-2.2.1-1"),
        new("An Echo of 41 bytes, one too many", At("> " + Put, "7d34") + " dd e4 1c [61*41] ; < 61 81 7d34 01 ..",
            CoapCounter.EchoChallenges, "9175-2.2.1-1 7252-5.4.3-1"),
        new("The Echo that was asked for", Challenge("") + " ; < 61 44 7d35 01", CoapCounter.AddressesVerified, "9175-2.2.1-2"),
        new("The Echo that was asked for, a second time",
            Challenge("") + " ; < 61 44 7d35 01 ; > 41 03 7d36 01 b5'fresh' dd e4 00 <echo> ; < 61 44 7d36 01", CoapCounter.EchoChallenges,
            "9175-2.2.1-2"),
        new("The Echo that was asked for, from another host", Challenge("c") + " ; c< 61 81 7d35 01 ..", CoapCounter.EchoChallenges,
            "9175-2.3-4 9175-2.2.1-2", 2),
        new("The Echo that was asked for, when it is stale",
            At("> " + Put, "7d34")
                + " ; < 61 81 7d34 01 dd ef 00 <echo:13> ; ~ 40 ; > 41 03 7d35 01 b5'fresh' dd e4 00 <echo> ; < 61 81 7d35 01 ..",
            CoapCounter.EchoChallenges, "9175-2.2.1-2 9175-2.3-1", 2),
        new("An Echo in a GET that needs none", "> 41 01 7d34 01 b1 'x' d8 e4 [61*8] ; < 61 45 7d34 01 c0 ff 'hi'",
            CoapCounter.RequestsReceived, "9175-2.2.1-1"),
        new("A hundred unfresh requests",
            string.Concat(Enumerable.Range(0x4000, 100)
                .Select(id => At("> " + Put, $"{id:x4}") + " ; " + At("< 61 81 {0} 01 .. ; ", $"{id:x4}"))),
            CoapCounter.EchoChallenges, "9175-2.3-1", 100),
        new("A Non-confirmable unfresh request is not answered by a Confirmable one", "> 51 03 7d34 01 b5 'fresh' ; < 51 81 ???? 01 ..",
            CoapCounter.EchoChallenges, "9175-2.4-2"),
    ];

    private static IEnumerable<HostileRow> Responses() =>
    [
        new("A server that asks for an Echo gets it once",
            "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 81 <mid> <token> d3 ef 616263 ; < 44 01 <mid:2> <token:4> b1 'x' d3 e4 "
                + "616263 ; > 64 45 <mid> <token> ff 'y' ; = 2.05 y", CoapCounter.RequestsSent, "9175-2.3-2", 2),

        // It would never end otherwise.
        new(
            "A server that asks for an Echo again and again",
            "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 81 <mid> <token> d3 ef 616263 ; < 44 01 <mid:2> <token:4> b1 'x' d3 e4 "
                + "616263 ; > 64 81 <mid> <token> d3 ef 616264 ; < 44 01 <mid:2> <token:4> b1 'x' d3 e4 616264 ; > 64 81 <mid> <token> "
                + "d3 ef 616265 ; < 44 01 <mid:2> <token:4> b1 'x' d3 e4 616265 ; > 64 81 <mid> <token> d3 ef 616266 ; = 4.01",
            CoapCounter.RequestsSent, "9175-2.3-2", 4),
        new("An empty Echo is none", "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 81 <mid> <token> d0 ef ; = 4.01",
            CoapCounter.RequestsSent, "9175-2.2.1-1 7252-5.4.3-1"),
        new("An Echo of 41 bytes is none", "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 81 <mid> <token> dd ef 1c [61*41] ; = 4.01",
            CoapCounter.RequestsSent, "9175-2.2.1-1 7252-5.4.3-1"),
        new("An Echo from another host goes nowhere",
            "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; c> 64 81 <mid> <token> d3 ef 616263 ; = pending ; > 64 45 <mid> <token> ff 'y' ; "
                + "= 2.05 y", CoapCounter.UnmatchedAcknowledgements, "9175-2.3-4 7252-5.3.2-1"),
    ];

    private static string At(string text, string id) => text.Replace("{0}", id);

    private static string Challenge(string from) =>
        At("> " + Put, "7d34") + $" ; < 61 81 7d34 01 dd ef 00 <echo:13> ; {from}> 41 03 7d35 01 b5'fresh' dd e4 00 <echo>";
}
