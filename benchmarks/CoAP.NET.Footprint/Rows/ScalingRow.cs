namespace CoAP.NET.Footprint.Rows;

/// <summary>One shard on one thread against several, each on a thread of its own.</summary>
internal sealed class ScalingRow : IRow
{
    private const int PeersOfThread = 1_024;
    private const int CheckClockEvery = 256;
    private const int MostShards = 64;
    private const int Turns = 5;
    private const double SecondsOfTurn = 0.7;
    private const double GoalOfThread = 0.95;

    public string Name => "scaling";

    public string About => "requests a second of several shards on a thread each against one on one, in memory";

    // One turn more is not counted, and there are two single shards.
    public int Seconds(Sizes sizes) => (int)Math.Ceiling((Turns + 1) * SecondsOfTurn * (CountsOf(sizes).Length + 2));

    /// <summary>Refuses numbers of shards that a server cannot have.</summary>
    /// <exception cref="ArgumentException">One is not from 2 to 64: one shard is what all are compared with.</exception>
    public static int[] Check(int[] shards) =>
        shards.FirstOrDefault(one => one is < 2 or > MostShards, 2) is not 2 and int wrong
            ? throw new ArgumentException($"--shards: 2 to {MostShards} shards are compared with one, and not {wrong}.")
            : shards;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        TimeSpan time = TimeSpan.FromSeconds(sizes.Of(SecondsOfTurn, 0.03));
        int[] counts = CountsOf(sizes);
        List<Side> sides = [];
        try
        {
            // The single shard runs on the first and on the last processor in turn, so that one that is slower does not decide.
            sides.Add(await Side.StartAsync(1));
            sides.Add(await Side.StartAsync(1, firstProcessor: Math.Min(counts.Max(), Environment.ProcessorCount) - 1));
            foreach (int count in counts)
            {
                sides.Add(await Side.StartAsync(count));
            }

            double[][] rates = await Slices.MeasureAsync(
                sizes.Of(Turns, 2), [.. sides.Select(side => (Func<Task<double>>)(() => side.RunAsync(time)))]);
            double[] single = [.. rates[0].Zip(rates[1], (first, second) => (first + second) / 2)];
            double alone = (sides[0].Nanoseconds + sides[1].Nanoseconds) / 2;
            table.Add("one shard on one thread", $"{Slices.Median(single):N0} requests a second");
            table.Add("one shard: part of the time in which the collector held it", $"{(sides[0].Pauses + sides[1].Pauses) / 2:P1}");
            for (int i = 0; i < counts.Length; i++)
            {
                Report(table, counts[i], sides[i + 2], rates[i + 2], single, alone);
            }

            long errors = sides.Sum(side => side.Server.Errors);
            table.Check(errors == 0, $"{errors} requests were not answered rightly");
            long late = sides.Sum(side => side.Server.Transports.Sum(transport => transport.Late));
            table.CheckFigure(late == 0, $"the machine was so busy that {late} requests were taken for slow ones");
        }
        finally
        {
            foreach (Side side in sides)
            {
                await side.DisposeAsync();
            }
        }
    }

    private static int[] CountsOf(Sizes sizes) =>
        sizes.Shards ?? [.. Enumerable.Range(1, 6).Select(i => 1 << i).TakeWhile(i => i <= Math.Max(2, Environment.ProcessorCount))];

    private static void Report(FigureTable table, int count, Side side, double[] rates, double[] single, double alone)
    {
        double ratio = Slices.Ratio(rates, single);
        double goal = count * GoalOfThread;
        table.Add($"{count} shards on {count} threads", $"{Slices.Median(rates):N0} requests a second");
        table.Add($"{count} shards: part of the time in which the collector held all threads", $"{side.Pauses:P1}");
        if (OperatingSystem.IsLinux())
        {
            // What others do on the machine takes processors from the threads, but adds little to the time that they have one.
            table.Add($"processor time for a request: one thread, {count} threads",
                $"{alone:0} ns, {side.Nanoseconds:0} ns, {alone * count / side.Nanoseconds:0.00} times as many if each had a processor");
        }

        string name = $"{count} shards / one shard";
        if (Environment.ProcessorCount < count)
        {
            table.AddUnjudged(name, $"{ratio:0.00}", $">= {goal:0.0#} on {count} processors",
                $"not judged: the machine has {Environment.ProcessorCount}");
        }
        else
        {
            table.Add(name, $"{ratio:0.00}", $">= {goal:0.0#}", ratio >= goal);
        }

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
                        options.Transports.Shards = shards;
                        options.Limits.Peers.NewcomerPeriod = TimeSpan.Zero;

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
            TimeSpan processorTime = Processor.OwnThreadTime();
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
                _times[thread] += (long)(Processor.OwnThreadTime() - processorTime).TotalNanoseconds;
            }

            _rounds[thread] = round;
            return count / begin.Elapsed.TotalSeconds;
        }
    }
}
