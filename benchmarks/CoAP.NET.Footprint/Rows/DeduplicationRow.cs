using CoAP.NET.Diagnostics;

namespace CoAP.NET.Footprint.Rows;

/// <summary>What it costs to remember exchanges (RFC 7252 section 4.5): memory for each, and throughput.</summary>
internal sealed class DeduplicationRow : IRow
{
    private const int Peers = 1_000;
    private const double GoalOfBytes = 128;
    private const double GoalOfRatio = 0.9;

    public string Name => "deduplication";

    public string About => "bytes for a remembered exchange, and throughput with and without remembering";

    public int Seconds(Sizes sizes) => 20;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        foreach (int exchanges in sizes.Of<int[]>([100_000, 1_000_000], [5_000]))
        {
            await MeasureBytesAsync(table, exchanges);
        }

        await MeasureThroughputAsync(table, sizes);
    }

    private static async Task MeasureBytesAsync(FigureTable table, int exchanges)
    {
        await using MemoryServer server = await MemoryServer.StartAsync(new ManualClock(), options =>
        {
            options.Limits.Deduplication.Memory = 4L << 30;
            options.Limits.Deduplication.MaxUnverifiedFraction = 1;
            options.Limits.Deduplication.MaxSafeFraction = 1;
        });
        using Lane lane = new();
        (long before, long held, long after) = await lane.RunAsync(() =>
        {
            server.Introduce(Peers, Peers);
            server.Clock.Advance(TimeSpan.FromMinutes(5));
            long empty = Heap.LiveBytes();
            server.Ask(Peers, 2L * Peers, exchanges);
            long full = Heap.LiveBytes();

            // Each of them is still there: asked again, the handler is not called, and the answer is the same.
            long duplicates = server.Counters[CoapCounter.Duplicates];
            server.Ask(Peers, 2L * Peers, exchanges);
            table.Check(server.Counters[CoapCounter.Duplicates] - duplicates == exchanges,
                $"{server.Counters[CoapCounter.Duplicates] - duplicates} of {exchanges} exchanges were remembered");
            server.Clock.Advance(TimeSpan.FromMinutes(5));
            return (empty, full, Heap.LiveBytes());
        });
        double each = ((held - before) / (double)exchanges) - MemoryTransport.AnswerLength;
        table.Add($"each of {exchanges:N0} remembered exchanges of {Peers:N0} peers, beyond its reply of {MemoryTransport.AnswerLength} B",
            $"{each:0.0} B", "<= 128 B", each <= GoalOfBytes);
        table.Add($"what is left of them after their lifetime", $"{(after - before) / (double)exchanges:0.0} B");
        table.Check(server.Errors == 0, $"{server.Errors} requests were not answered rightly");
        table.CheckFigure(each is > 0 and < 10 * GoalOfBytes, $"{each} B for an exchange cannot be");
        table.CheckFigure(after - before < (held - before) / 4,
            $"of {held - before:N0} B for exchanges {after - before:N0} are left after their lifetime");
    }

    private static async Task MeasureThroughputAsync(FigureTable table, Sizes sizes)
    {
        int count = sizes.Of(600_000, 5_000);
        TimeSpan pace = TimeSpan.FromMicroseconds(1);

        // As by default, at the bound of what unverified peers may take, so that the oldest is forgotten for the newest.
        await using MemoryServer with = await MemoryServer.StartAsync(new ManualClock(),
            options => options.Limits.Peers.NewcomerPeriod = TimeSpan.Zero);

        // RFC 7252 section 4.5 allows to process safe requests again instead of storing the reply.
        await using MemoryServer without = await MemoryServer.StartAsync(new ManualClock(), options =>
        {
            options.Limits.Peers.NewcomerPeriod = TimeSpan.Zero;
            options.Limits.Deduplication.MaxSafeReplySize = 0;
        });

        // Replies are stored and forgotten at once: EXCHANGE_LIFETIME is ACK_TIMEOUT and twice MAX_LATENCY, as nothing is sent again.
        await using MemoryServer brief = await MemoryServer.StartAsync(new ManualClock(), options =>
        {
            options.Limits.Peers.NewcomerPeriod = TimeSpan.Zero;
            options.Parameters = CoapTransmissionParameters.Default with
            {
                AckTimeout = TimeSpan.FromMilliseconds(1),
                MaxRetransmit = 0,
                MaxLatency = TimeSpan.FromMilliseconds(1),
                PiggybackWindow = TimeSpan.FromSeconds(1),
            };
        });
        MemoryServer[] servers = [with, without, brief];
        Lane[] lanes = [.. servers.Select(_ => new Lane())];
        long[] asked = new long[servers.Length];
        double[][] rates = await Slices.MeasureAsync(
            sizes.Of(7, 2),
            [.. servers.Select((server, i) => (Func<Task<double>>)(() => lanes[i].RunAsync(() =>
            {
                double rate = Slices.Rate(count, () => server.Ask(Peers, asked[i], count, pace));
                asked[i] += count;
                return rate;
            })))]);
        Array.ForEach(lanes, lane => lane.Dispose());
        double ratio = Slices.Ratio(rates[0], rates[1]);
        table.Add("requests a second, remembering (defaults)", $"{Slices.Median(rates[0]):N0}");
        table.Add("not remembering answers to safe requests (Deduplication.MaxSafeReplySize = 0)", $"{Slices.Median(rates[1]):N0}");
        table.Add("remembering for 3 ms (Parameters)", $"{Slices.Median(rates[2]):N0}");
        table.Add("remembering / not remembering", $"{ratio:0.00}", ">= 0.9", ratio >= GoalOfRatio);
        table.Add("remembering / remembering for 3 ms", $"{Slices.Ratio(rates[0], rates[2]):0.00}");
        table.Check(servers.All(server => server.Errors == 0),
            $"{servers.Sum(server => server.Errors)} requests were not answered rightly");
        table.Check(rates.All(side => side.All(rate => rate > 0)), $"a rate is not above zero");
        table.Check(without.Counters[CoapCounter.Duplicates] == 0, $"{without.Counters[CoapCounter.Duplicates]} duplicates came");
    }
}
