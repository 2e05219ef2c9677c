using System.Globalization;
using Server;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>The plugtests as what a client asks.</summary>
internal static class PlugtestScenarios
{
    private const int BlockSize = 512;

    private static readonly int[] s_pumpingLengths = [1000, 1024, 1025, 2048, 2049, 16];
    private static readonly string s_upload = LargeText.Make(1300);

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
            responses => [Request(CoapMethod.Put, "/validate", "second", option: new IfMatchOption(TagOf(responses[0]).Value.Span))],
            responses => [Request(CoapMethod.Put, "/validate", "lost", option: new IfMatchOption(TagOf(responses[0]).Value.Span))],
            Ask(Request(CoapMethod.Get, "/validate"))),
        new(
            "CORE_23",
            Ask(Request(CoapMethod.Put, "/create1", "first", option: new IfNoneMatchOption())),
            Ask(Request(CoapMethod.Put, "/create1", "second", option: new IfNoneMatchOption())),
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

    private static ETagOption TagOf(CoapResponse response) => response.Options.OfType<ETagOption>().Single();

    private static CoapRequest Request(CoapMethod method, string path, string? content = null, bool confirmable = true,
        CoapOption? option = null) =>
            PlugtestClient.Request(method, path, content, confirmable, option);

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
                "/" + string.Join('/', responses[0].Options.OfType<LocationPathOption>().Select(segment => segment.Value)), BlockSize)])
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

    private static IEnumerable<PlugtestScenario> Observing { get; } =
    [
        Observe("OBS_01", "/obs", static bench => bench.PassAsync(FromSeconds(16)), Change),
        Observe("OBS_02", "/obs-non", static bench => bench.PassAsync(FromSeconds(16)), Change),
        Observe("OBS_04", "/obs", async bench =>
        {
            await bench.PassAsync(FromSeconds(7));
            await bench.RestartServerAsync();
        }),
        Observe("OBS_07", "/obs", static bench => bench.AskAsync(Request(CoapMethod.Delete, "/obs"))),
        Observe("OBS_08", "/obs", static bench => bench.AskAsync(Put("/obs", "<test/>", CoapContentFormat.Xml)), last: "<test/>"),
        Observe("OBS_09", "/obs", static bench => bench.AskAsync(Put("/obs", "new value")), last: "new value"),
        Observe(
            "OBS_10",
            "/obs-load",
            static async bench =>
            {
                await bench.AskAsync(Request(CoapMethod.Get, "/obs-load"));
                await bench.AskAsync(Put("/obs-load", "new value"));
            },
            last: "new value"),
        Observe("OBS_11", "/obs-load", PutInTurn, last: "6"),
        Observe("OBS_11 by Non-confirmable messages", "/obs-load-non", PutInTurn, last: "6"),
        new("OBS_12", CancelAsync) { IsLong = true, MayRunAgain = true },
        Observe("OBS_13", "/obs-large", static bench => bench.PassAsync(FromSeconds(6)),
            static changes => $"{Change(changes)}\n{LargeText.Make(2000)}"),
        Observe("OBS_13 with a value that is put", "/obs-large", static bench => bench.AskAsync(Put("/obs-large", "short")), last: "short"),
        Observe("OBS_14", "/obs-pumping", static bench => bench.PassAsync(FromSeconds(16)),
            static changes => LargeText.Make(s_pumpingLengths[changes % s_pumpingLengths.Length])),
    ];

    // Observes, does something, and waits until what was observed is what the resource is.
    private static PlugtestScenario Observe(string name, string path, Func<PlugtestBench, Task> doAsync, Func<int, string>? states = null,
        string? last = null) =>
            new(name, async bench =>
            {
                PlugtestObserver observer = await bench.ObserveAsync(Request(CoapMethod.Get, path));
                await doAsync(bench);
                bench.EndLoss();
                string Expected() => last ?? (states ?? Change)(Changes(bench));

                // The state that it has at this moment: what came at the moment before may still be on its way.
                await bench.UntilAsync(() => observer.Text == Expected() && observer.Observation!.State == CoapObserveState.Observing);
                if (states is not null)
                {
                    Check(bench, observer, states);
                }

                bench.Findings.Add(last ?? "what it is now");
                await observer.Observation!.DisposeAsync();
                await NobodyObserves(bench);
            })
            {
                IsLong = true,

                // Registrations are made again.
                MayRunAgain = true,
            };

    private static async Task PutInTurn(PlugtestBench bench)
    {
        for (int i = 1; i <= 6; i++)
        {
            await bench.AskAsync(Put("/obs-load", i.ToString(CultureInfo.InvariantCulture)),
                Put("/obs-load-non", i.ToString(CultureInfo.InvariantCulture)));
        }
    }

    private static async Task CancelAsync(PlugtestBench bench)
    {
        PlugtestObserver observer = await bench.ObserveAsync(Request(CoapMethod.Get, "/obs"));
        await bench.PassAsync(FromSeconds(6));
        bench.EndLoss();
        int taken = observer.Taken.Count;
        await observer.Observation!.DisposeAsync();
        await NobodyObserves(bench);
        Assert.Equal(taken, observer.Taken.Count);
    }

    // A registration that was on its way when it was cancelled, or a cancellation that was lost, is made up for by the Reset of the next
    // notification.
    private static async Task NobodyObserves(PlugtestBench bench)
    {
        await bench.UntilAsync(() => bench.IsUnobserved);
        int datagrams = bench.Datagrams;
        bench.Clock.Advance(FromMinutes(10));
        Assert.Equal(0, bench.Observers);
        Assert.InRange(bench.Datagrams, datagrams, datagrams + 8);
    }

    // Nothing but states that the resource had, each later than the one before.
    private static void Check(PlugtestBench bench, PlugtestObserver observer, Func<int, string> states)
    {
        int at = 0;
        int now = Changes(bench);
        foreach (CoapResponse response in observer.Taken)
        {
            string text = response.GetText();
            int found = Enumerable.Range(at, now + 1 - at).FirstOrDefault(changes => states(changes) == text, -1);
            Assert.True(found >= at, $"'{text}' came after {states(at)} when the resource had changed {now} times.");
            at = found;
        }
    }

    private static string Change(int changes) => string.Create(CultureInfo.InvariantCulture, $"change {changes}");

    private static int Changes(PlugtestBench bench) => (int)((bench.Clock.Elapsed - bench.ServerStarted).TotalSeconds / 5);

    private static CoapRequest Put(string path, string text, CoapContentFormat? format = null)
    {
        CoapRequest request = Request(CoapMethod.Put, path);
        request.Content = CoapContent.Text(text, format);
        return request;
    }
}
