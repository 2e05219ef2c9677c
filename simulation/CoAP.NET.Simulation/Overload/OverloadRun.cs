namespace CoAP.NET.Simulation.Overload;

/// <summary>Puts a load on a server, in phases, with observers and transfers beside it.</summary>
internal static class OverloadRun
{
    /// <summary>How often the load is a peak, in multiples of what can be served.</summary>
    public static readonly double[] Peaks = [1, 2, 10];

    private const int Together = 16;
    private const double Half = 0.5;
    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(2);

    /// <summary>Runs.</summary>
    /// <param name="server">The server.</param>
    /// <param name="path">What is asked for.</param>
    /// <param name="peak">How long a peak takes, in seconds.</param>
    /// <param name="observers">How many observe.</param>
    /// <param name="progress">Takes lines that tell how far it is.</param>
    /// <param name="cancellationToken">Ends it early.</param>
    /// <param name="known">What it can serve in a second; null to find out.</param>
    /// <param name="cpu">The processor time that the server took so far; null when that is not known.</param>
    public static async Task<OverloadResult> RunAsync(IPEndPoint server, string path, double peak, int observers, TextWriter progress,
        CancellationToken cancellationToken, double? known = null, Func<TimeSpan>? cpu = null)
    {
        using OpenLoop loop = new(server, path) { Patience = TimeSpan.FromSeconds(Math.Min(1, peak)) };
        double seconds = Math.Min(2, peak);
        (long Time, TimeSpan Cpu) before = Look();
        double capacity = known ?? loop.MeasureCapacity(seconds, Together);
        double processor = (Look().Cpu - before.Cpu).TotalSeconds / seconds;
        progress.WriteLine($"/{path}: {capacity:F0} requests a second");
        using ObserverCrowd crowd = new(server, observers);
        await UntilAsync(() => crowd.Registered == observers);
        await using PacedTransfers transfers = new(server);
        List<LoadPhase> phases = [new("before", Math.Min(3, peak), Rate(Half))];
        foreach (double times in Peaks)
        {
            phases.Add(new LoadPhase($"{times}x", peak, Rate(times)));
            phases.Add(new LoadPhase($"after {times}x", Math.Min(3, peak), Rate(Half)));
        }

        long began = TimeProvider.System.GetTimestamp();
#pragma warning disable RS0030 // a loop that never waits for others
        Thread thread = new(() => loop.Run(phases, cancellationToken)) { IsBackground = true };
#pragma warning restore RS0030
        thread.Start();
        List<(long Time, TimeSpan Cpu)> looks = [Look()];
        while (thread.IsAlive)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(50), TimeProvider.System, CancellationToken.None);
            looks.Add(Look());
        }

        double begin = 0;
        foreach (LoadPhase phase in phases)
        {
            (long Time, TimeSpan Cpu)[] during = [.. looks.Where(look =>
                TimeProvider.System.GetElapsedTime(began, look.Time).TotalSeconds is double at && at >= begin
                    && at <= begin + phase.Seconds)];
            phase.Processor = during.Length < 2
                ? 0
                : (during[^1].Cpu - during[0].Cpu) / TimeProvider.System.GetElapsedTime(during[0].Time, during[^1].Time);
            begin += phase.Seconds;
        }

        await UntilAsync(() => crowd.UpToDate == observers);
        await using CoapClient client = new();
        CoapResponse counters = await client.GetAsync($"coap://{server}/counters", CancellationToken.None);
        return new OverloadResult
        {
            Path = path,
            Capacity = capacity,
            CapacityProcessor = processor,
            Phases = phases,
            Slices = loop.Slices,
            RefusedWithoutMaxAge = loop.RefusedWithoutMaxAge,
            Began = began,
            Observers = observers,
            UpToDate = crowd.UpToDate,
            Told = crowd.Told,
            Transfers = transfers.Ended,
            Counters = counters.GetText(),
        };

        (long Time, TimeSpan Cpu) Look() => (TimeProvider.System.GetTimestamp(), cpu?.Invoke() ?? TimeSpan.Zero);

        int Rate(double times) => Math.Max(1, (int)(times * capacity));
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        long began = TimeProvider.System.GetTimestamp();
        while (!condition() && TimeProvider.System.GetElapsedTime(began) < s_patience)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(10), TimeProvider.System, CancellationToken.None);
        }
    }
}
