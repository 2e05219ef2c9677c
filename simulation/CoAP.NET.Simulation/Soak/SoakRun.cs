using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Soak;

/// <summary>Mixed load over real sockets of the loopback, with losses, cuts, and clients that come and go, watched all the time.</summary>
internal sealed class SoakRun
{
    /// <summary>The bound on peers that the server gets.</summary>
    public const int MaxPeers = 2000;

    private const int MostAtOnce = 200;
    private const int MostOfClient = 100;
    private const long PlantedLeak = 128L << 20;
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_look = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_progress = TimeSpan.FromSeconds(10);

    private readonly SoakSettings _settings;
    private readonly SoakLedger _ledger = new();
    private readonly SoakLog _log = new();
    private readonly SoakDice _dice;
    private readonly SoakPath _path;
    private readonly List<SoakClient> _clients = [];
    private readonly List<Task> _leaving = [];
    private readonly List<(string Name, WeakReference Endpoint)> _endpoints = [];
    private readonly List<object> _planted = [];
    private readonly SoakResult _result;
    private SoakServer? _server;
    private SoakCutter? _cutter;
    private int _named;

    // Of those that were begun: planted as lost, so that nobody waits for their end.
    private int _lost;

    private SoakRun(SoakSettings settings)
    {
        _settings = settings;
        _dice = new SoakDice(settings.Seed);
        _path = new SoakPath(settings.Loss, new SoakDice(~settings.Seed));
        _result = new SoakResult { Settings = settings, Ledger = _ledger, Log = _log };
    }

    private static TimeProvider Time => TimeProvider.System;

    // After losses have ended, every message has come through or is given up by then.
    private TimeSpan Draining => Parameters().MaxTransmitWait + _settings.Patience + TimeSpan.FromSeconds(1);

    /// <summary>Runs one.</summary>
    public static async Task<SoakResult> RunAsync(SoakSettings settings, TextWriter progress, CancellationToken cancellationToken)
    {
        Dictionary<string, long> thrown = [];
        List<string> unobserved = [];
        EventHandler<FirstChanceExceptionEventArgs> onThrown = (_, happened) =>
        {
            lock (thrown)
            {
                string kind = happened.Exception.GetType().Name;
                thrown[kind] = thrown.GetValueOrDefault(kind) + 1;
            }
        };
        EventHandler<UnobservedTaskExceptionEventArgs> onUnobserved = (_, happened) =>
        {
            lock (unobserved)
            {
                unobserved.Add(happened.Exception.ToString());
            }
        };
        long heap = Collected();
        int handles = SoakSample.OfProcess().Handles;
        AppDomain.CurrentDomain.FirstChanceException += onThrown;
        TaskScheduler.UnobservedTaskException += onUnobserved;
        try
        {
            (SoakResult result, List<(string Name, WeakReference Endpoint)> endpoints) = await StartAsync(settings, progress,
                cancellationToken);
            await FreeAsync(result, endpoints, handles);
            result.Heap = (heap, Collected());
            result.Handles = (handles, SoakSample.OfProcess().Handles);
            result.HandlesLeft = SoakSample.KindsOfHandles();
            lock (thrown)
            {
                foreach ((string kind, long count) in thrown)
                {
                    result.Thrown[kind] = count;
                }
            }

            lock (unobserved)
            {
                result.Unobserved.AddRange(unobserved);
            }

            return result;
        }
        finally
        {
            AppDomain.CurrentDomain.FirstChanceException -= onThrown;
            TaskScheduler.UnobservedTaskException -= onUnobserved;
        }
    }

    // Of its own, so that nothing of the run is held by a frame that waits for what it leaves.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static Task<(SoakResult Result, List<(string Name, WeakReference Endpoint)> Endpoints)> StartAsync(SoakSettings settings,
        TextWriter progress, CancellationToken cancellationToken) =>
            new SoakRun(settings).RunAsync(progress, cancellationToken);

    private static long Collected()
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        GC.Collect();
        return GC.GetTotalMemory(false);
    }

    private static async Task FreeAsync(SoakResult result, List<(string Name, WeakReference Endpoint)> endpoints, int handles)
    {
        // Threads that served them let go when they look the next time.
        const int Looks = 100;
        for (int i = 0; i < Looks; i++)
        {
            Collected();
            if (!endpoints.Exists(one => one.Endpoint.IsAlive)
                && SoakSample.OfProcess().Handles <= handles + result.Settings.HandleSlack)
            {
                return;
            }

            await Task.Delay(s_look * (i < Looks / 2 ? 1 : 10), Time, CancellationToken.None);
        }

        result.Kept.AddRange(endpoints.Where(one => one.Endpoint.IsAlive).Select(one => one.Name));
    }

    private async Task<(SoakResult Result, List<(string Name, WeakReference Endpoint)> Endpoints)> RunAsync(TextWriter progress,
        CancellationToken cancellationToken)
    {
        CoapEndpointOptions options = new() { Parameters = Parameters(), LoggerFactory = _log, Name = "server" };
        options.Limits.Peers.MaxCount = MaxPeers;
        options.Limits.Peers.IdleLifetime = TimeSpan.FromMinutes(1);
        _server = new SoakServer(options);
        _endpoints.Add(("server", new WeakReference(_server.Endpoint)));
        await _server.StartAsync();
        _cutter = new SoakCutter(_server.Streams);
        for (int i = 0; i < _settings.DatagramClients + _settings.StreamClients; i++)
        {
            _clients.Add(NewClient(isStream: i >= _settings.DatagramClients));
        }

        long began = Time.GetTimestamp();
        TimeSpan loaded = await LoadAsync(progress, cancellationToken);
        _result.Elapsed = Time.GetElapsedTime(began);
        Sample(loaded);
        _path.Heal();
        await UntilAsync(() => _ledger.Open <= Volatile.Read(ref _lost), Draining);
        progress.WriteLine($"{_result.Elapsed:hh\\:mm\\:ss} the load has ended, {_ledger.Open} under way");
        await SettleAsync();
        Sample(loaded + _settings.Sampling);
        await CloseAsync();
        return (_result, _endpoints);
    }

    private CoapTransmissionParameters Parameters() =>
        new() { AckTimeout = _settings.AckTimeout, NStart = 8, ProbingRate = double.PositiveInfinity };

    private SoakClient NewClient(bool isStream)
    {
        string name = $"{(isStream ? "stream" : "datagram")} client {_named++}";
        CoapEndpointOptions options = new() { Parameters = Parameters(), LoggerFactory = _log };
        IPEndPoint server = isStream ? _cutter!.Endpoint : _server!.Datagrams;
        if (!isStream)
        {
            _path.Insert(options.Pipeline);
        }

        SoakClient client = new(name, $"{(isStream ? "coap+tcp" : "coap")}://{server}", isStream, options, _ledger);
        _endpoints.Add((name, new WeakReference(client.Client.Endpoint)));
        _ = client.ObserveAsync(_dice.Next(SoakServer.States));
        return client;
    }

    // A machine that is busy with something else may let this process stand still for longer than the whole load lasts. What passed
    // meanwhile beyond one look at the process is no time of the load, so that it has all its requests, chores and looks.
    private async Task<TimeSpan> LoadAsync(TextWriter progress, CancellationToken cancellationToken)
    {
        (TimeSpan Every, TimeSpan Next, Action<TimeSpan> Do)[] chores =
        [
            Chore(_settings.Changing, _ => Change()), Chore(_settings.Turnover, _ => Replace()),
            Chore(_settings.Cutting, _ => _cutter!.Cut()),
            Chore(_settings.Sampling, at => Sample(at)),
            Chore(s_progress,
                at => progress.WriteLine(
                    $"{at:hh\\:mm\\:ss} {_ledger.Begun:N0} begun, {_ledger.Open} under way, {_ledger.CountOf(SoakLedger.Answered):N0} "
                        + $"answered, {_path.Lost:N0} datagrams lost, {_ledger.WrongCount} wrong, {_log.ErrorCount} errors logged, "
                        + $"heap {GC.GetTotalMemory(false) >> 20} MiB")),
        ];
        using PeriodicTimer timer = new(s_tick, Time);
        TimeSpan at = TimeSpan.Zero;
        long before = Time.GetTimestamp();
        while (!cancellationToken.IsCancellationRequested)
        {
            await timer.WaitForNextTickAsync(CancellationToken.None);
            long now = Time.GetTimestamp();
            TimeSpan passed = Time.GetElapsedTime(before, now);
            before = now;
            at += passed < _settings.Sampling ? passed : _settings.Sampling;
            if (at >= _settings.Duration)
            {
                return at;
            }

            long due = (long)(at.TotalSeconds * _settings.Rate) - _ledger.Begun;
            for (int i = 0; i < Math.Min(due, MostAtOnce); i++)
            {
                SoakClient client = _clients[_dice.Next(_clients.Count)];
                if (client.Open < MostOfClient)
                {
                    _ = OperateAsync(client);
                }
            }

            for (int i = 0; i < chores.Length; i++)
            {
                if (at >= chores[i].Next)
                {
                    chores[i].Next += chores[i].Every;
                    chores[i].Do(at);
                }
            }
        }

        return at;

        static (TimeSpan Every, TimeSpan Next, Action<TimeSpan> Do) Chore(TimeSpan every, Action<TimeSpan> action) =>
            (every, every, action);
    }

    private async Task OperateAsync(SoakClient client)
    {
        SoakKind kind = SoakOperations.Choose(_dice, client.IsStream);
        long id = _ledger.Begin(kind, client.Name);
        client.Enter();
        try
        {
            Plant(id);
            string end = await SoakOperations.RunAsync(kind, id, client, _settings, _dice, _ledger);
            if (Has("lost") && id % 64 == 0)
            {
                Interlocked.Increment(ref _lost);
                return;
            }

            _ledger.End(id, kind, end);
        }
        finally
        {
            client.Exit();
        }
    }

    private void Plant(long id)
    {
        if (Has("leak"))
        {
            _planted.Add(new byte[(int)Math.Min(1 << 20, PlantedLeak / Math.Max(1, _settings.Rate * _settings.Duration.TotalSeconds))]);
        }

        if (Has("handle"))
        {
            _planted.Add(File.OpenHandle("/dev/null"));
        }

        if (id == 1 && Has("unobserved"))
        {
            _ = Task.FromException(new CoapException("planted"));
        }

        if (id == 1 && Has("log"))
        {
            _log.LogPlanted();
        }
    }

    private bool Has(string plant) => _settings.Plant.Contains(plant);

    private void Change()
    {
        _result.Changes++;
        _server!.Change(_dice.Next(SoakServer.States));
    }

    private void Replace()
    {
        int index = _dice.Next(_clients.Count);
        SoakClient old = _clients[index];
        _clients[index] = NewClient(old.IsStream);
        _result.Newcomers++;
        _leaving.RemoveAll(leaving => leaving.IsCompletedSuccessfully);
        _leaving.Add(LeaveAsync(old, _dice.Next(2) == 0 ? Draining : TimeSpan.Zero));
    }

    private static async Task LeaveAsync(SoakClient client, TimeSpan waits)
    {
        await UntilAsync(() => client.Open == 0, waits);
        await client.DisposeAsync();
    }

    private void Sample(TimeSpan at)
    {
        _result.Samples.Add(SoakSample.Take(at, _ledger, _server!, CountEndpoints));
    }

    private int CountEndpoints()
    {
        _endpoints.RemoveAll(one => !one.Endpoint.IsAlive);
        return _endpoints.Count;
    }

    private async Task SettleAsync()
    {
        for (int i = 0; i < SoakServer.States; i++)
        {
            _server!.Change(i);
        }

        // What is stale is registered again when its Max-Age is over.
        TimeSpan limit = TimeSpan.FromSeconds(90);
        await UntilAsync(() => _clients.TrueForAll(client => client.IsUpToDate(_server!, out _)), limit);
        foreach (SoakClient client in _clients)
        {
            if (!client.IsUpToDate(_server!, out string? missing))
            {
                _result.Outdated.Add(missing!);
            }
        }
    }

    private async Task CloseAsync()
    {
        (_result.DatagramsPassed, _result.DatagramsLost, _result.Cuts, _result.Repeated) = (_path.Passed, _path.Lost, _cutter!.Cuts,
            _server!.Repeated);
        await Task.WhenAll(_leaving);
        foreach (SoakClient client in _clients)
        {
            await client.DisposeAsync();
        }

        await _cutter.DisposeAsync();
        await _server.DisposeAsync();
        await UntilAsync(() => _ledger.Open <= Volatile.Read(ref _lost), TimeSpan.FromMinutes(1));
        (_server, _cutter) = (null, null);
        _clients.Clear();
        _leaving.Clear();

        // What was planted is seen while it runs; it is not left behind in the process that tries it.
        _planted.ForEach(one => (one as IDisposable)?.Dispose());
    }

    private static async Task UntilAsync(Func<bool> condition, TimeSpan limit)
    {
        long began = Time.GetTimestamp();
        while (!condition() && Time.GetElapsedTime(began) < limit)
        {
            await Task.Delay(s_look, Time, CancellationToken.None);
        }
    }
}
