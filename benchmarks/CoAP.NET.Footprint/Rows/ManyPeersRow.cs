using CoAP.NET.Diagnostics;

namespace CoAP.NET.Footprint.Rows;

/// <summary>Many peers: what each takes, how much slower requests become, and what is left when all are gone.</summary>
internal sealed class ManyPeersRow : IRow
{
    // A prime, so that peers come in no order in which they lie in memory, and each once.
    private const long Stride = 7_368_787;
    private const int Few = 10_000;
    private const double Goal = 0.6;

    public string Name => "many-peers";

    public string About => "rate and memory with 10,000 to 1,000,000 peers (--large: 10,000,000), and what is left after them";

    public int Seconds(Sizes sizes) => sizes.IsLarge ? 240 : 30;

    public async Task RunAsync(FigureTable table, Sizes sizes)
    {
        table.Begin(Name);
        int[] levels = sizes.Of<int[]>(sizes.IsLarge ? [1_000_000, 10_000_000] : [1_000_000], [20_000]);
        await using Level few = await Level.StartAsync(sizes.Of(Few, 1_000));
        few.Report(table);
        await few.RestAsync();
        foreach (int peers in levels)
        {
            await CompareAsync(table, few, peers, sizes);
        }
    }

    // Apart, so that nothing refers to the many when the next ones come.
    private static async Task CompareAsync(FigureTable table, Level few, int peers, Sizes sizes)
    {
        await using Level many = await Level.StartAsync(peers);
        many.Report(table);
        int count = sizes.Of(Math.Max(1_000_000, peers), 20_000);
        double[][] rates = await Slices.MeasureAsync(sizes.Of(3, 1), () => few.RunAsync(count), () => many.RunAsync(count));
        double ratio = Slices.Ratio(rates[1], rates[0]);
        table.Add($"requests a second, {few.Peers:N0} peers", $"{Slices.Median(rates[0]):N0}");
        table.Add($"requests a second, {peers:N0} peers", $"{Slices.Median(rates[1]):N0}");
        table.Add("ratio", $"{ratio:0.00}", ">= 0.6", ratio >= Goal);
        table.Check(ratio > 0, $"the ratio {ratio} cannot be");

        // What the few were asked meanwhile is not the memory of the many.
        await few.RestAsync();
        table.Check(few.Errors == 0, $"{few.Errors} requests of the few were not answered rightly");
        await many.EndAsync(table);
    }

    private sealed class Level : IAsyncDisposable
    {
        private readonly MemoryServer _server;
        private readonly Lane _lane = new();
        private long _before;
        private double _each;
        private int _round = 2;

        private Level(MemoryServer server, int peers)
        {
            _server = server;
            Peers = peers;
        }

        public int Peers { get; }

        public static async Task<Level> StartAsync(int peers)
        {
            MemoryServer server = await MemoryServer.StartAsync(new ManualClock(), options =>
            {
                options.Limits.Peers.MaxCount = 2 * peers;
                options.Limits.Peers.NewcomerMemory = 256 << 20;
                options.Limits.Deduplication.Memory = 16L << 30;
                options.Limits.Deduplication.MaxUnverifiedFraction = 1;
                options.Limits.Deduplication.MaxSafeFraction = 1;
            });
            Level level = new(server, peers);
            await level._lane.RunAsync(() =>
            {
                server.Transport.Ask((1 << 24) - 1, 0);
                server.Clock.Advance(TimeSpan.FromMinutes(5));
                level._before = Heap.LiveBytes();
                server.Introduce(peers, 100_000);
                level._each = (Heap.LiveBytes() - level._before) / (double)peers;
                return true;
            });
            return level;
        }

        public void Report(FigureTable table)
        {
            table.Add($"each of {Peers:N0} peers, with 2 exchanges remembered", $"{_each:0} B");
            table.CheckFigure(_each is > 0 and < 10_000, $"{_each} B for a peer cannot be");
        }

        public Task<double> RunAsync(int count) => _lane.RunAsync(() => Slices.Rate(count, () => Ask(count)));

        public long Errors => _server.Errors;

        /// <summary>Lets the exchanges expire.</summary>
        public Task<bool> RestAsync() => _lane.RunAsync(() =>
        {
            _server.Clock.Advance(TimeSpan.FromMinutes(5));
            return true;
        });

        /// <summary>Lets all be forgotten that may be, and says what is left.</summary>
        public async Task EndAsync(FigureTable table)
        {
            (long full, long expired, long left) = await _lane.RunAsync(() =>
            {
                long with = Heap.LiveBytes() - _before;
                _server.Clock.Advance(TimeSpan.FromMinutes(5));
                long idle = Heap.LiveBytes() - _before;
                _server.Clock.Advance(TimeSpan.FromHours(26));
                return (with, idle, Heap.LiveBytes() - _before);
            });
            table.Add($"{Peers:N0} peers: memory with what they asked in this row", $"{full / 1e6:N1} MB");
            table.Add($"{Peers:N0} peers: 5 minutes later, exchanges expired",
                $"{expired / 1e6:N1} MB, {expired / (double)Peers:0} B a peer");
            table.Add($"{Peers:N0} peers: a day later", $"{left / 1e6:N2} MB", "back to the start", left < full / 50);
            table.Check(_server.Errors == 0, $"{_server.Errors} requests of {Peers:N0} peers were not answered rightly");
            long evictions = _server.Counters[CoapCounter.DeduplicationEvictions]
                + _server.Counters[CoapCounter.UnsafeDeduplicationEvictions];
            table.Check(evictions == 0, $"{evictions} exchanges of {Peers:N0} peers were given up before their time");
            table.CheckFigure(left < full / 4, $"of {full:N0} B with {Peers:N0} peers {left:N0} are left a day later");
            table.CheckFigure(expired < full, $"{full:N0} B with {Peers:N0} peers, {expired:N0} B after their exchanges");
        }

        public async ValueTask DisposeAsync()
        {
            _lane.Dispose();
            await _server.DisposeAsync();
        }

        private void Ask(int count)
        {
            const int batch = 64;
            MemoryTransport transport = _server.Transport;
            TimeSpan step = TimeSpan.FromMicroseconds(batch);
            long at = 0;
            int ofRound = 0;
            for (int i = 0; i < count; i++)
            {
                transport.Ask((int)at, _round);
                at = (at + Stride) % Peers;
                if (++ofRound == Peers)
                {
                    (ofRound, _round) = (0, _round + 1);
                }

                if (i % batch == batch - 1)
                {
                    _server.Clock.Advance(step);
                }
            }

            // The next run begins with another Message ID, whoever was asked in this round.
            _round++;
        }
    }
}
