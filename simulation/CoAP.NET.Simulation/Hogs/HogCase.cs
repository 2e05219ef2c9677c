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
        new("busy, 20 to 50 ms", "coap", static (server, time) => server.MapGet(Path, () => HogWork.Burn(time()))),
        new("busy, over TCP", "coap+tcp", static (server, time) => server.MapGet(Path, () => HogWork.Burn(time()))),
        new("busy, declared with RunQueued(100)", "coap",
            static (server, time) => server.MapGet(Path, () => HogWork.Burn(time())).RunQueued(100)),
        new("busy, a fifth as long", "coap", static (server, time) => server.MapGet(Path, () => HogWork.Burn(time() / 5))),
        new("busy after an await", "coap", static (server, time) => server.MapGet(Path, async () =>
        {
            await Task.Yield();
            return HogWork.Burn(time());
        })),
        new("blocks", "coap", static (server, time) => server.MapGet(Path, () =>
        {
            using ManualResetEvent never = new(false);
            never.WaitOne(time());
            return "hog";
        })),
        new("awaits", "coap", static (server, time) => server.MapGet(Path, async () =>
        {
            await Task.Delay(time(), TimeProvider.System);
            return "hog";
        })),
    ];
}
