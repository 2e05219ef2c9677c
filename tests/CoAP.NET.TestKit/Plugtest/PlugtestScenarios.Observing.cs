using System.Globalization;
using Server;

namespace CoAP.NET.Tests.Plugtest;

// TD_COAP_OBS: whatever gets lost, the state that the resource has in the end arrives, and nothing that it never was.
internal static partial class PlugtestScenarios
{
    private static readonly int[] s_pumpingLengths = [1000, 1024, 1025, 2048, 2049, 16];

    private static IEnumerable<PlugtestScenario> Observing { get; } =
    [
        Observe("OBS_01", "/obs", static bench => bench.PassAsync(TimeSpan.FromSeconds(16)), Change),
        Observe("OBS_02", "/obs-non", static bench => bench.PassAsync(TimeSpan.FromSeconds(16)), Change),
        Observe("OBS_04", "/obs", async bench =>
        {
            await bench.PassAsync(TimeSpan.FromSeconds(7));
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
        Observe("OBS_13", "/obs-large", static bench => bench.PassAsync(TimeSpan.FromSeconds(6)),
            static changes => $"{Change(changes)}\n{LargeText.Make(2000)}"),
        Observe("OBS_13 with a value that is put", "/obs-large", static bench => bench.AskAsync(Put("/obs-large", "short")), last: "short"),
        Observe("OBS_14", "/obs-pumping", static bench => bench.PassAsync(TimeSpan.FromSeconds(16)),
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
        await bench.PassAsync(TimeSpan.FromSeconds(6));
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
        bench.Clock.Advance(TimeSpan.FromMinutes(10));
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
