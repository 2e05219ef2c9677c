namespace CoAP.NET.Footprint.Rows;

/// <summary>Memory for an observer, and for a Confirmable notification that waits for its acknowledgement.</summary>
internal sealed class ObserversRow : IRow
{
    // So many newcomers may observe at a time by default (CoapLimits.Peers.NewcomerMemory).
    private const int Group = 2_000;

    public string Name => "observers";

    public string About => "bytes of managed heap for an observer, and for a notification that was not acknowledged";

    public int Seconds(Sizes sizes) => 4;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        int observers = sizes.Of(10_000, 2_000);
        ManualClock clock = new();
        CoapEndpointOptions options = new() { TimeProvider = clock };
        options.Limits.Peers.MaxCount = 2 * observers;
        await using CoapServer server = new(options);
        server.MapGet("/state", () => CoapResults.Text("on")).Observable(observe => observe.MaxAge = TimeSpan.FromDays(1));
        ObserverTransport transport = new();
        server.Endpoint.AddTransport(transport);
        await server.StartAsync();
        using Lane lane = new();
        long before = await lane.RunAsync(() =>
        {
            // What is made at the first request of all is not the observers'.
            Introduction.Run(clock, 1, 1, (_, round) => transport.Register((1 << 24) - 1, round));
            clock.Advance(TimeSpan.FromMinutes(5));
            return Heap.LiveBytes();
        });
        (double idle, double waiting, double acknowledged) = await lane.RunAsync(() =>
        {
            Introduction.Run(clock, observers, Group, transport.Register);
            clock.Advance(TimeSpan.FromMinutes(5));
            double of = PerObserver();
            server.Notify("/state");

            // Some at each tick of the clock; nothing is repeated before two seconds have passed.
            for (int i = 0; i < 1_500 && transport.Unacknowledged <= observers; i++)
            {
                clock.Advance(TimeSpan.FromMilliseconds(1));
            }

            double ofWaiting = PerObserver() - of;
            table.Check(transport.Unacknowledged == observers + 1, $"{transport.Unacknowledged} of {observers + 1} observers were told");
            transport.Acknowledge();
            clock.Advance(TimeSpan.FromMinutes(5));
            return (of, ofWaiting, PerObserver());
        });
        table.Add("an observer, with its peer", $"{idle:0} B");
        table.Add($"a Confirmable notification of {transport.NotificationLength} B that waits for its acknowledgement, in addition",
            $"{waiting:0} B");
        table.Add("an observer whose notification was acknowledged", $"{acknowledged:0} B");
        table.Check(transport.Registered == 2 * (observers + 1), $"{transport.Registered} registrations of {2 * (observers + 1)}");
        table.CheckFigure(idle is > 0 and < 4096 && waiting > 0 && acknowledged < idle + waiting,
            $"{idle}, {waiting} and {acknowledged} B for an observer cannot be");

        double PerObserver() => (Heap.LiveBytes() - before) / (double)observers;
    }
}
