using CoAP.NET.Options;
using Server;

namespace CoAP.NET.Tests.Plugtest;

// TD_COAP_BLOCK: bodies of several blocks, which go on on threads between two messages.
internal static partial class PlugtestScenarios
{
    private const int BlockSize = 512;

    private static readonly string s_upload = LargeText.Make(1300);

    private static IEnumerable<PlugtestScenario> Blocks { get; } =
    [
        Transfer("BLOCK_01", Ask(Large(CoapMethod.Get, "/large", BlockSize))) with { MayRunAgain = true },
        Transfer("BLOCK_02", Ask(Large(CoapMethod.Get, "/large", null))) with { MayRunAgain = true },
        Transfer("BLOCK_03", Ask(Large(CoapMethod.Put, "/large-update", BlockSize, s_upload)),
            Ask(Large(CoapMethod.Get, "/large-update", null))) with { MayRunAgain = true },
        Transfer(
            "BLOCK_04",
            Ask(Large(CoapMethod.Post, "/large-create", BlockSize, s_upload)),
            responses => [Large(CoapMethod.Get,
                "/" + string.Join('/', responses[0].Options.OfType<LocationPath>().Select(segment => segment.Value)), BlockSize)])
            with { MayRunAgain = true },
        Transfer("BLOCK_05", Ask(Large(CoapMethod.Post, "/large-post", BlockSize, s_upload))),
        Transfer("BLOCK_06", Ask(Request(CoapMethod.Put, "/large-update", LargeText.Make(90))),
            Ask(Large(CoapMethod.Get, "/large-update", 16))) with { MayRunAgain = true },

        // No tests of the list: bodies by Non-confirmable messages, and which block belongs to which body.
        Transfer("BLOCK_05 by Non-confirmable messages",
            Ask(Large(CoapMethod.Post, "/large-post", BlockSize, s_upload, confirmable: false))),
        Transfer(
            "several bodies at once",
            Ask(
                Large(CoapMethod.Post, "/large-create", 256, LargeText.Make(700)),
                Large(CoapMethod.Get, "/large", 1024),
                Large(CoapMethod.Post, "/large-post", BlockSize, LargeText.Make(900)))) with { MayRunAgain = true },
    ];

    private static PlugtestScenario Transfer(string name, params Func<IReadOnlyList<CoapResponse>, CoapRequest[]>[] steps) =>
        new(name, steps) { IsLong = true };

    private static CoapRequest Large(CoapMethod method, string path, int? blockSize, string? content = null, bool confirmable = true)
    {
        CoapRequest request = Request(method, path, content, confirmable);
        request.BlockSize = blockSize;
        return request;
    }
}
