namespace CoAP.NET.Footprint.Rows;

/// <summary>One shard on one thread against two on two.</summary>
internal sealed class ScalingRow : IRow
{
    private const int PeersOfThread = 1_024;
    private const int CheckClockEvery = 256;
    private const double Goal = 1.9;

    public string Name => "scaling";

    public string About => "requests a second of two shards on two threads against one on one, in memory";

    public int Seconds(Sizes sizes) => 13;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        TimeSpan time = TimeSpan.FromMilliseconds(sizes.Of(700, 30));
        await using Side one = await Side.StartAsync(1);
        await using Side two = await Side.StartAsync(2);

        // The single shard runs on each processor in turn, so that one that is slower does not decide.
        await using Side other = await Side.StartAsync(1, firstProcessor: 1);
        double[][] rates = await Slices.MeasureAsync(sizes.Of(5, 2), () => one.RunAsync(time), () => two.RunAsync(time),
            () => other.RunAsync(time));
        double[] single = [.. rates[0].Zip(rates[2], (first, second) => (first + second) / 2)];
        double ratio = Slices.Ratio(rates[1], single);
        table.Add("one shard on one thread", $"{Slices.Median(single):N0} requests a second");
        table.Add("two shards on two threads", $"{Slices.Median(rates[1]):N0} requests a second");
        table.Add("part of the time in which the collector held all threads: one, two",
            $"{(one.Pauses + other.Pauses) / 2:P1}, {two.Pauses:P1}");
        if (OperatingSystem.IsLinux())
        {
            // What others do on the machine takes processors from the threads, but adds little to the time that they have one.
            double alone = (one.Nanoseconds + other.Nanoseconds) / 2;
            table.Add("processor time for a request: one thread, two threads",
                $"{alone:0} ns, {two.Nanoseconds:0} ns, {alone * 2 / two.Nanoseconds:0.00} times as many if each had a processor");
        }

        if (Environment.ProcessorCount < 2)
        {
            table.AddUnjudged("ratio", $"{ratio:0.00}", ">= 1.9 on two processors", "there is one processor");
        }
        else
        {
            table.Add("ratio", $"{ratio:0.00}", ">= 1.9", ratio >= Goal);
        }

        long errors = one.Server.Errors + two.Server.Errors + other.Server.Errors;
        table.Check(errors == 0, $"{errors} requests were not answered rightly");
        long late = new[] { one, two, other }.Sum(side => side.Server.Transports.Sum(transport => transport.Late));
        table.CheckFigure(late == 0, $"the machine was so busy that {late} requests were taken for slow ones");
        table.Check(ratio > 0, $"the ratio {ratio} cannot be");
    }

    private sealed class Side : IAsyncDisposable
    {
        private readonly Lane[] _lanes;
        private readonly int[][] _peers;
        private readonly int[] _rounds;
        private readonly long[] _counts;
        private readonly long[] _times;
        private TimeSpan _pauses;
        private TimeSpan _elapsed;

        private Side(MemoryServer server, int firstProcessor)
        {
            Server = server;
            _lanes = [.. server.Transports.Select((_, i) => new Lane((firstProcessor + i) % Environment.ProcessorCount))];
            _rounds = new int[_lanes.Length];
            _counts = new long[_lanes.Length];
            _times = new long[_lanes.Length];

            // Each thread serves the peers of one shard, as the operating system gives each loop the datagrams of its own peers.
            _peers = [.. server.Transports.Select((transport, i) =>
                Enumerable.Range(0, int.MaxValue).Where(peer => transport.Context.ShardOf(MemoryTransport.AddressOf(peer)) == i)
                    .Take(PeersOfThread).ToArray())];
        }

        public MemoryServer Server { get; }

        /// <summary>The part of the time in which no thread got on for the garbage collector, which works on one thread.</summary>
        public double Pauses => _pauses / _elapsed;

        /// <summary>Processor time for a request, of all runs after the first.</summary>
        public double Nanoseconds => _times.Sum() / (double)_counts.Sum();

        public static async Task<Side> StartAsync(int shards, int firstProcessor = 0) =>
            new(
                await MemoryServer.StartAsync(
                    clock: null,
                    options =>
                    {
                        options.Shards = shards;
                        options.Limits.NewcomerPeriod = TimeSpan.Zero;

                        // Where a thread is kept off its processor for longer, the answer is still one datagram.
                        options.Parameters = options.Parameters with { PiggybackWindow = TimeSpan.FromMinutes(10) };
                    },
                    shards),
                firstProcessor);

        public async Task<double> RunAsync(TimeSpan time)
        {
            TimeSpan pauses = GC.GetTotalPauseDuration();
            using Barrier start = new(_lanes.Length);
            double[] rates = await Task.WhenAll(_lanes.Select((lane, i) => lane.RunAsync(() =>
            {
                start.SignalAndWait();
                return Run(i, time);
            })));
            _pauses += GC.GetTotalPauseDuration() - pauses;
            _elapsed += time;
            return rates.Sum();
        }

        public async ValueTask DisposeAsync()
        {
            Array.ForEach(_lanes, lane => lane.Dispose());
            await Server.DisposeAsync();
        }

        private double Run(int thread, TimeSpan time)
        {
            MemoryTransport transport = Server.Transports[thread];
            int[] peers = _peers[thread];
            int round = _rounds[thread];
            long processorTime = OwnProcessorTime();
            Watch begin = new();
            long count = 0;
            do
            {
                for (int i = 0; i < peers.Length; i += CheckClockEvery)
                {
                    for (int k = 0; k < CheckClockEvery; k++)
                    {
                        transport.Ask(peers[i + k], round);
                    }
                }

                round++;
                count += peers.Length;
            }
            while (begin.Elapsed < time);

            if (_rounds[thread] > 0)
            {
                _counts[thread] += count;
                _times[thread] += OwnProcessorTime() - processorTime;
            }

            _rounds[thread] = round;
            return count / begin.Elapsed.TotalSeconds;
        }

        // In nanoseconds.
        private static long OwnProcessorTime() =>
            OperatingSystem.IsLinux()
                ? long.Parse(File.ReadAllText("/proc/thread-self/schedstat").Split(' ')[0])
                : 0;
    }
}
