using CoAP.NET.Options;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>The plugtests as what a client asks.</summary>
internal static partial class PlugtestScenarios
{
    public static IReadOnlyList<PlugtestScenario> All => [.. Single, .. Blocks, .. Observing];

    private static IEnumerable<PlugtestScenario> Single { get; } =
    [
        One("CORE_01", Request(CoapMethod.Get, "/test")),
        One("CORE_02", Request(CoapMethod.Delete, "/test")),
        new("CORE_03", Ask(Request(CoapMethod.Put, "/test", "changed")), Ask(Request(CoapMethod.Get, "/test"))),
        new("CORE_04", Ask(Request(CoapMethod.Post, "/test", "posted")), Ask(Request(CoapMethod.Get, "/test"))),
        One("CORE_05", Request(CoapMethod.Get, "/test", confirmable: false)),
        One("CORE_06", Request(CoapMethod.Delete, "/test", confirmable: false)),
        One("CORE_07", Request(CoapMethod.Put, "/test", "changed", confirmable: false)),
        One("CORE_08", Request(CoapMethod.Post, "/test", "posted", confirmable: false)),
        One("CORE_09", Request(CoapMethod.Get, "/separate")),
        One("CORE_13", Request(CoapMethod.Get, "/seg1/seg2/seg3")),
        One("CORE_14", Request(CoapMethod.Get, "/query?first=1&second=2&third=3")),
        One("CORE_17", Request(CoapMethod.Get, "/separate", confirmable: false)),
        One("CORE_18", Request(CoapMethod.Post, "/test", "An arbitrary payload")),
        One("CORE_19", Request(CoapMethod.Post, "/location-query", "x")),
        new("CORE_20", Ask(Accepting(CoapContentFormat.TextPlain)), Ask(Accepting(CoapContentFormat.Xml))),
        new(
            "CORE_21",
            Ask(Request(CoapMethod.Get, "/validate")),
            responses => [Request(CoapMethod.Get, "/validate", option: TagOf(responses[0]))],
            Ask(Request(CoapMethod.Put, "/validate", "second")),
            responses => [Request(CoapMethod.Get, "/validate", option: TagOf(responses[0]))]),
        new(
            "CORE_22",
            Ask(Request(CoapMethod.Get, "/validate")),
            responses => [Request(CoapMethod.Put, "/validate", "second", option: new IfMatch(TagOf(responses[0]).Value.Span))],
            responses => [Request(CoapMethod.Put, "/validate", "lost", option: new IfMatch(TagOf(responses[0]).Value.Span))],
            Ask(Request(CoapMethod.Get, "/validate"))),
        new(
            "CORE_23",
            Ask(Request(CoapMethod.Put, "/create1", "first", option: new IfNoneMatch())),
            Ask(Request(CoapMethod.Put, "/create1", "second", option: new IfNoneMatch())),
            Ask(Request(CoapMethod.Get, "/create1"))),
        One("LINK_02", Request(CoapMethod.Get, "/.well-known/core?rt=Type1")) with { MayRunAgain = true },
        One("LINK_07", Request(CoapMethod.Get, "/.well-known/core?href=/link1")) with { MayRunAgain = true },
        new("LINK_09", Ask(Request(CoapMethod.Get, "/path")), Ask(Request(CoapMethod.Get, "/path/sub1"))),

        // No test of the list: which response belongs to which request.
        new("several at once", Ask(
            Request(CoapMethod.Get, "/path/sub1"),
            Request(CoapMethod.Get, "/separate"),
            Request(CoapMethod.Get, "/path/sub2"),
            Request(CoapMethod.Post, "/location-query", "x"),
            Request(CoapMethod.Get, "/path/sub3"))),
    ];

    private static PlugtestScenario One(string name, CoapRequest request) => new(name, Ask(request));

    private static Func<IReadOnlyList<CoapResponse>, CoapRequest[]> Ask(params CoapRequest[] requests) => _ => requests;

    private static CoapRequest Accepting(CoapContentFormat format)
    {
        CoapRequest request = Request(CoapMethod.Get, "/multi-format");
        request.Accept = format;
        return request;
    }

    private static ETag TagOf(CoapResponse response) => response.Options.OfType<ETag>().Single();

    private static CoapRequest Request(CoapMethod method, string path, string? content = null, bool confirmable = true,
        CoapOption? option = null) =>
            PlugtestClient.Request(method, path, content, confirmable, option);
}
