using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>RFC 6690: filters that a server is asked with, and documents that a client is answered with.</summary>
internal static class LinkTable
{
    private const string Core = "> 40 01 7d34 bb '.well-known' 04 'core' ";
    private const CoapCounter Requests = CoapCounter.RequestsReceived;

    public static HostileTable Table { get; } = new("link format", [.. Filters()], [.. Documents()], [], []);

    private static IEnumerable<HostileRow> Filters() =>
    [
        Filter("A filter without a value", "42 'rt'"),
        Filter("A filter without a name", "42 '=a'"),
        Filter("An empty filter", "40"),
        Filter("A filter of two equal signs", "45 'a==b='"),
        Filter("A filter that is an asterisk", "41 '*'"),
        Filter("A filter for everything by an asterisk in the name", "43 '*=*'"),
        Filter("Asterisks", "49 'rt=******'"),
        Filter("An attribute that nobody has", "46 'zzz=zz'"),
        Filter("A target that is none", "47 'href=<>'"),
        Filter("A target with dots", "49 'href=/../'"),
        Filter("NULs", "46 'rt=' 000000"),
        Filter("Quotes", "47 'rt=' 22 'a' 22 22"),
        Filter("Escapes that are cut", "46 'rt=%2%'"),
        Filter("A filter of 255 bytes", "4d f2 'rt=' [61*252]"),
        Filter("Two hundred filters", "44 'rt=a' [0472743d61*199]"),
        new("A filter that is no UTF-8", Core + "44 'rt=' ff ; < 60 80 7d34 ..", CoapCounter.BadOptions, "7252-3.2-3"),
        new("A POST to the list", "> 40 02 7d34 bb '.well-known' 04 'core' ff 'x' ; < 60 85 7d34", Requests, "7252-5.8-1"),
        new("The list in a format that it does not have", Core + "61 32 ; < 60 86 7d34", Requests, "7252-5.5.4-1"),
        new("The list from a block far beyond its end", Core + "c3 fffff2 ; < 60 8? 7d34 ..", Requests, "7959-2.4-6 6690-4-1"),
    ];

    private static IEnumerable<HostileRow> Documents() =>
    [
        Document("A document, to compare", "'</a>;rt=b,</c>'", "/a /c"),
        Document("No link", "", ""),
        Document("Nothing but a comma", "2c", "InvalidResponse"),
        Document("Commas", "[2c*100]", "InvalidResponse"),
        Document("A target that is not closed", "'</a'", "InvalidResponse"),
        Document("A target that is not opened", "'/a>'", "InvalidResponse"),
        Document("A quote that is not closed", "'</a>;title=' 22 'b'", "InvalidResponse"),
        Document("An escape at the end", "'</a>;title=' 22 'b' 5c", "InvalidResponse"),
        Document("Quotes in quotes by escapes", "'</a>;title=' 22 [5c22*100] 22", "/a"),
        Document("Commas, semicolons and brackets in quotes", "'</a>;title=' 22 '<,>;' 22 ',</b>'", "/a /b"),
        Document("NUL in a target", "'</a' 00 '>'", "InvalidResponse"),
        Document("NUL in a value", "'</a>;title=' 22 00 22", "InvalidResponse"),
        Document("Text that is no UTF-8", "'</a>;title=' 22 ff 22", "InvalidResponse"),
        Document("A target that leads elsewhere is told as it is", "'<coap://evil.example/../../x>'", "coap://evil.example/../../x"),
        Document("A script as a target is told as it is", "'<javascript:alert(1)>'", "javascript:alert(1)"),
        Document("Many brackets", "[3c*500]", "InvalidResponse"),
        Document("Many attributes without a name", "'</a>' [3b*500]", "InvalidResponse"),
        Document("A size larger than any number", "'</a>;sz=' [39*100]", "/a"),
        Document("A hundred links to one target", "'</a>' [2c3c2f613e*99]", string.Join(' ', Enumerable.Repeat("/a", 100))),
        Document("The attribute rt a hundred times", "'</a>' [3b72743d62*100]", "/a"),
        new("A document in another format",
            "discover ; < 44 01 <mid:2> <token:4> bb '.well-known' 04 'core' .. ; > 64 45 <mid> <token> c1 32 ff '{}' ; = "
                + "InvalidResponse", CoapCounter.RequestsSent, "6690-4-1"),
        new("An error instead of a document",
            "discover ; < 44 01 <mid:2> <token:4> bb '.well-known' 04 'core' .. ; > 64 84 <mid> <token> ; = ErrorResponse",
            CoapCounter.RequestsSent, "6690-4-1"),
    ];

    // A filter that matches nothing, or is none: an empty list or the whole one, and no error (RFC 6690 section 4.1).
    private static HostileRow Filter(string name, string query) =>
        new(name, Core + query + " ; < 60 45 7d34 ..", Requests, "6690-4.1-1 6690-4.1-2");

    private static HostileRow Document(string name, string document, string outcome) => new(
        name,
        "discover ; < 44 01 <mid:2> <token:4> bb '.well-known' 04 'core' .. ; > 64 45 <mid> <token> c1 "
            + $"28 {(document.Length == 0 ? "" : "ff " + document.Replace(";", "' 3b '").Replace(" ''", ""))} ; = {outcome}",
        CoapCounter.RequestsSent,
        "6690-2-1 6690-2-3");
}
