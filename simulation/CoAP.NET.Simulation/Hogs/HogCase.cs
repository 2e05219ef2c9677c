namespace CoAP.NET.Simulation.Hogs;

/// <summary>One way in which a handler keeps others waiting.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Scheme">Over what the clients ask.</param>
/// <param name="Map">Maps the handler; the time is how long it takes.</param>
internal sealed record HogCase(string Name, string Scheme, Func<CoapServer, Func<TimeSpan>, CoapRouteHandlerBuilder> Map)
{
    public const string Path = "/hog";

    /// <summary>All of them. Times are drawn for each request.</summary>
    public static IReadOnlyList<HogCase> All { get; } =
    [
        new("busy, 20 to 50 ms", "coap", (server, time) => server.MapGet(Path, () => HogWork.Burn(time()))),
        new("busy, over TCP", "coap+tcp", (server, time) => server.MapGet(Path, () => HogWork.Burn(time()))),
        new("busy, declared with WithExecution(queued: 100)", "coap",
            (server, time) => server.MapGet(Path, () => HogWork.Burn(time())).WithExecution(queued: 100)),
        new("busy, a fifth as long", "coap", (server, time) => server.MapGet(Path, () => HogWork.Burn(time() / 5))),
        new("busy after an await", "coap", (server, time) => server.MapGet(Path, async () =>
        {
            await Task.Yield();
            return HogWork.Burn(time());
        })),
        new("blocks", "coap", (server, time) => server.MapGet(Path, () =>
        {
            using ManualResetEvent never = new(false);
            never.WaitOne(time());
            return "hog";
        })),
        new("awaits", "coap", (server, time) => server.MapGet(Path, async () =>
        {
            await Task.Delay(time(), TimeProvider.System);
            return "hog";
        })),
    ];
}

/// <summary>What the cheap clients had alone and beside the hogs.</summary>
internal sealed class HogResult
{
    public double AloneSeconds { get; set; }

    public long Alone { get; set; }

    public double TogetherSeconds { get; set; }

    public long Together { get; set; }

    public long Hogs { get; set; }

    /// <summary>Of the cheap ones beside the hogs, in milliseconds; of several rounds the worst.</summary>
    public double Median { get; set; }

    public double Percentile99 { get; set; }

    public double Worst { get; set; }

    /// <summary>Of the hogs' answers, in milliseconds.</summary>
    public double HogPercentile99 { get; set; }

    public List<string> Wrong { get; } = [];

    public double Ratio => Together / TogetherSeconds / (Alone / AloneSeconds);
}
