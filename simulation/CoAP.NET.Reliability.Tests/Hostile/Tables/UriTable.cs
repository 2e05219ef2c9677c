using CoAP.NET.Diagnostics;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>RFC 7252 sections 6.1 and 6.4: URIs that a program was given by somebody who means harm, and what they become.</summary>
internal static class UriTable
{
    private const string Answered = " ; > 64 45 <mid> <token> ff 'r' ; = 2.05 r";

    public static HostileTable Table { get; } = new("URI", [], [.. Sent(), .. Refused()], [], []);

    private static IEnumerable<HostileRow> Sent() =>
    [
        Becomes("An escaped slash stays in its segment", "/a%2fb", "b3 'a/b'", "7252-6.4-1"),
        Becomes("A slash escaped twice is escaped once", "/a%252fb", "b5 'a%2fb'", "7252-6.4-1"),
        Becomes("An escaped ampersand stays in its argument", "/x?a%26b", "b1 'x' 43 'a&b'", "7252-6.4-1"),
        Becomes("An escaped number sign and question mark", "/a%23b%3fc", "b5 'a#b?c'", "7252-6.4-1"),
        Becomes("An escaped NUL", "/a%00b", "b3 'a' 00 'b'", "7252-6.4-1 7252-3.2-3"),
        Becomes("An escaped line end", "/a%0d%0ab", "b4 'a' 0d0a 'b'", "7252-6.4-1"),
        Becomes("Dots that lead upwards are taken out", "/a/../../x", "b1 'x'", "7252-5.10.1-1 7252-6.4-1"),
        Becomes("A dot is taken out", "/./x", "b1 'x'", "7252-5.10.1-1 7252-6.4-1"),
        Becomes("Three dots are a name", "/...", "b3 '...'", "7252-5.10.1-1"),
        Becomes("Empty segments", "//x//", "b0 01 'x' 00 00", "7252-6.4-1"),
        Becomes("Empty arguments", "/x?&&a", "b1 'x' 40 00 01 'a'", "7252-6.4-1"),
        Becomes("A segment of 255 bytes", "/" + new string('a', 255), "bd f2 [61*255]", "7252-6.4-1"),
        Becomes("Letters of another script", "/%C3%BC", "b2 c3bc", "7252-6.4-1 7252-3.2-3"),
    ];

    private static IEnumerable<HostileRow> Refused() =>
    [
        Refuses("A segment of 256 bytes", "coap://{host}/" + new string('a', 256), "7252-6.4-1"),
        Refuses("An argument of 256 bytes", "coap://{host}/x?" + new string('a', 256), "7252-6.4-1"),
        Refuses("A fragment", "coap://{host}/x#f", "7252-5.10.1-3"),
        Refuses("An escape that is cut", "coap://{host}/a%2", "7252-6.4-1"),
        Refuses("An escape that is none", "coap://{host}/a%zz", "7252-6.4-1"),
        Refuses("An escape that is no UTF-8", "coap://{host}/%ff", "7252-3.2-3"),
        Refuses("An overlong escape", "coap://{host}/%c0%af", "7252-3.2-3"),
        Refuses("A user before the host", "coap://user@{host}/x", "7252-6.1-1"),
        Refuses("A user that looks like the host", "coap://192.0.2.20:5683@{host}/x", "7252-6.1-1"),
        Refuses("Port 65,536", "coap://{host}:65536/x", "7252-6.1-1"),
        Refuses("A port that is negative", "coap://{host}:-1/x", "7252-6.1-1"),
        Refuses("A port that is no number", "coap://{host}:a/x", "7252-6.1-1"),
        Refuses("No host", "coap:///x", "7252-6.1-1"),
        Refuses("No host, but a port", "coap://:5683/x", "7252-6.1-1"),
        Refuses("Brackets that are not closed", "coap://[::1/x", "7252-6.1-1"),
        Refuses("A host with a blank", "coap://a b/x", "7252-6.1-1"),
        Refuses("A host with a line end", "coap://a\r\nb/x", "7252-6.1-1"),
        Refuses("Another scheme", "http://{host}/x", "7252-6.1-1"),
        Refuses("No scheme", "//{host}/x", "7252-6.1-1"),
        Refuses("Nothing", " ", "7252-6.1-1"),
    ];

    private static HostileRow Becomes(string name, string uri, string options, string rfc) =>
        new(name, $"uri coap://{{host}}{uri} ; < 44 01 <mid:2> <token:4> {options}{Answered}", CoapCounter.RequestsSent, rfc);

    private static HostileRow Refuses(string name, string uri, string rfc) =>
        new(name, $"uri {uri} ; = refused", CoapCounter.RequestsSent, rfc, 0);
}
