using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>RFC 7252 section 5.6: responses that a client with a cache must not keep, or not use again.</summary>
internal static class CacheTable
{
    private const string Get = "get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; ";
    private const string Again = " ; get /x ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 45 <mid> <token> ff 'new' ; = 2.05 new";
    private const string Kept = " ; get /x ; = 2.05 old";

    public static HostileTable Table { get; } = new("cached answers", [], [.. Rows()], [], []);

    private static IEnumerable<HostileRow> Rows() =>
    [
        new("A response is kept for 60 s, to compare", Get + "> 64 45 <mid> <token> ff 'old' ; = 2.05 old ; ~ 59" + Kept,
            CoapCounter.CacheHits, "7252-5.6.1-1"),
        new("And no longer", Get + "> 64 45 <mid> <token> ff 'old' ; = 2.05 old ; ~ 80" + Again, CoapCounter.CacheHits, "7252-5.6.1-1", 0),
        new("Max-Age 0", Get + "> 64 45 <mid> <token> d0 01 ff 'old' ; = 2.05 old" + Again, CoapCounter.CacheHits, "7252-5.6.1-1", 0),
        new("Max-Age of five bytes is none, so that it is 60 s",
            Get + "> 64 45 <mid> <token> d5 01 0000000000 ff 'old' ; = 2.05 old" + Kept, CoapCounter.CacheHits,
            "7252-5.4.3-1 7252-5.6.1-1"),
        new("A code that nobody knows", Get + "> 64 5e <mid> <token> ff 'old' ; = 2.30 old" + Again, CoapCounter.CacheHits, "7252-5.6-2",
            0),
        new("2.04 to a GET", Get + "> 64 44 <mid> <token> ff 'old' ; = 2.04 old" + Again, CoapCounter.CacheHits, "7252-5.6-3", 0),
        new("A critical option that nobody knows", Get + "> 64 45 <mid> <token> e0 2602 ff 'old' ; = InvalidResponse" + Again,
            CoapCounter.CacheHits, "7252-5.4.1-3", 0),
        new("A response of another host", Get + "c> 64 45 <mid> <token> ff 'bad' ; > 64 45 <mid> <token> ff 'old' ; = 2.05 old" + Kept,
            CoapCounter.CacheHits, "7252-5.3.2-1"),
        new("A second response to what was answered",
            Get + "> 64 45 <mid> <token> ff 'old' ; = 2.05 old ; > 54 45 7d34 <token> ff 'bad'" + Kept, CoapCounter.CacheHits,
            "7252-5.3.2-3"),
        new("2.03 with the ETag that was asked for",
            Get + "> 64 45 <mid> <token> 41 01 a1 01 ff 'old' ; = 2.05 old ; ~ 3 ; get /x ; < 44 01 <mid:2> <token:4> 41 01 71 'x' ; > 64 "
                + "43 <mid> <token> 41 01 ; = 2.05 old", CoapCounter.CacheValidations, "7252-5.6.2-2"),
        new("2.03 with an ETag that nobody asked for",
            Get + "> 64 45 <mid> <token> 41 01 a1 01 ff 'old' ; = 2.05 old ; ~ 3 ; get /x ; < 44 01 <mid:2> <token:4> 41 01 71 'x' ; > 64 "
                + "43 <mid> <token> 41 02 ; < 44 01 <mid:2> <token:4> b1 'x' ; > 64 45 <mid> <token> ff 'new' ; = 2.05 new",
            CoapCounter.CacheValidations, "7252-5.6.2-3", 0),
        new("2.03 to a request without an ETag", Get + "> 64 43 <mid> <token> 41 01 ; = 2.03", CoapCounter.CacheValidations,
            "7252-5.9.1.3-1", 0),
    ];
}
