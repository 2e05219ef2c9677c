using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Faults;

/// <summary>One server under load, hit by a fault every 0.2 s in every other slice of time.</summary>
internal sealed class FaultStorm : IAsyncDisposable
{
    private static readonly TimeSpan s_slice = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_tick = TimeSpan.FromMilliseconds(50);
    private static readonly TimeProvider s_time = TimeProvider.System;

    private readonly FaultRig _rig;
    private readonly FaultLoad _load;
    private readonly Dice _dice;
    private readonly UserCodeCall[] _places;
    private readonly List<Task> _probes = [];
    private Task _lane = Task.CompletedTask;
    private int _busyThreads;

    private FaultStorm(FaultRig rig, ulong seed, IReadOnlyList<UserCodeCall> places)
    {
        _rig = rig;
        _load = new FaultLoad(rig);
        _dice = new Dice(seed);
        _places = [.. places];
    }

    public CoapServer Server => _rig.Server;

    public FaultScheduler Scheduler => _rig.Scheduler;

    public FaultTally Tally { get; } = new();

    /// <summary>Requests and seconds without faults, and with them.</summary>
    public (long Requests, double Seconds) Clean { get; private set; }

    /// <summary>See <see cref="Clean"/>.</summary>
    public (long Requests, double Seconds) Faulty { get; private set; }

    public double Ratio => Faulty.Requests / Faulty.Seconds / (Clean.Requests / Clean.Seconds);

    public FaultLoad Load => _load;

    public static async Task<FaultStorm> StartAsync(FaultRig rig, ulong seed, IReadOnlyList<UserCodeCall> places)
    {
        FaultStorm storm = new(rig, seed, places);
        await storm._load.StartAsync();

        // What is compiled and grown at the beginning belongs to no slice.
        await storm.SliceAsync(withFaults: true, s_slice * 2);
        await Task.WhenAll([storm._lane, .. storm._probes]);
        storm.Clean = storm.Faulty = default;
        storm._busyThreads = rig.Scheduler.Threads.ThreadCount - rig.Scheduler.Threads.IdleCount;
        return storm;
    }

    /// <summary>Goes through slices in the order without, with, with, without, ...</summary>
    public async Task RunAsync(TimeSpan budget, TextWriter progress, CancellationToken cancellationToken)
    {
        long start = s_time.GetTimestamp();
        for (int i = 0; s_time.GetElapsedTime(start) < budget && !cancellationToken.IsCancellationRequested; i++)
        {
            await SliceAsync(withFaults: i % 4 is 1 or 2, s_slice);
            if (i % 8 == 7)
            {
                progress.WriteLine(
                    $"  {s_time.GetElapsedTime(start).TotalSeconds:0} s: {Tally.Count} faults, {_load.Done} requests, ratio {Ratio:0.000}");
            }
        }

        await Task.WhenAll([_lane, .. _probes]);
    }

    /// <summary>What is not as it has to be when all is quiet again.</summary>
    public async Task<List<string>> FindAsync()
    {
        List<string> found = [.. Tally.Findings, .. _load.Wrong];
        if (_rig.Server.Endpoint.Completion.IsCompleted)
        {
            found.Add("the service has ended");
        }

        _rig.Resources.Tick();
        await AddAsync(found, () => _load.OldestTick == _rig.Resources.Ticks, "an observer does not hear of changes any more");
        await AddAsync(found, () => _rig.Server.ObserverCount == FaultLoad.Observers,
            "observers of clients that are gone are still there, or others are not");
        await _load.StopAsync();
        found.AddRange(_load.Wrong.Except(found));
        await AddAsync(found, () => _rig.Server.RequestsServed == 0, "a request is being served that nobody waits for");
        await AddAsync(found, () => _rig.Scheduler.Threads.ThreadCount - _rig.Scheduler.Threads.IdleCount <= _busyThreads,
            "a thread did not come back");
        foreach (CoapCounter counter in (CoapCounter[])[CoapCounter.HandlerErrors, CoapCounter.StageErrors, CoapCounter.EncodeErrors])
        {
            long expected = Tally.Expected(counter) + _rig.Extra[counter];
            if (_rig.Server.Counters[counter] != expected && Tally.Findings.Count == 0)
            {
                found.Add($"{counter} is {_rig.Server.Counters[counter]}, but there were {expected} faults of the kind");
            }
        }

        found.AddRange(_rig.ServerLog.Unexpected.Take(5).Select(entry => "an error that was not injected: " + entry));
        if (_rig.Scheduler.Threads.Failures > 0)
        {
            found.Add($"{_rig.Scheduler.Threads.Failures} exceptions came to the threads of the library, where nobody logs them");
        }

        found.AddRange(FaultCheck.Locks(_rig.Server));
        found.AddRange(await FaultCheck.RoutesAsync(_rig));
        return found;
    }

    public async ValueTask DisposeAsync()
    {
        await _load.DisposeAsync();
        await _rig.DisposeAsync();
    }

    private static async Task AddAsync(List<string> found, Func<bool> condition, string what)
    {
        try
        {
            await FaultProbe.UntilAsync(condition, what);
        }
        catch (FaultFinding finding)
        {
            found.Add(finding.Message);
        }
    }

    private async Task SliceAsync(bool withFaults, TimeSpan length)
    {
        int ticked = _rig.Resources.Ticks;
        long before = _load.Done;
        long start = s_time.GetTimestamp();
        TimeSpan nextFault = withFaults ? TimeSpan.Zero : TimeSpan.MaxValue;
        TimeSpan nextTick = TimeSpan.Zero;
        while (s_time.GetElapsedTime(start) is var now && now < length)
        {
            if (now >= nextTick)
            {
                _rig.Resources.Tick();
                nextTick += s_tick;
            }

            if (now >= nextFault)
            {
                Inject();
                nextFault += s_period;
            }

            TimeSpan next = nextTick < nextFault ? nextTick : nextFault;
            TimeSpan wait = (next < length ? next : length) - s_time.GetElapsedTime(start);
            if (wait > TimeSpan.Zero)
            {
                await Task.Delay(wait, s_time);
            }
        }

        (long Requests, double Seconds) slice = (_load.Done - before, s_time.GetElapsedTime(start).TotalSeconds);
        if (withFaults)
        {
            Faulty = (Faulty.Requests + slice.Requests, Faulty.Seconds + slice.Seconds);
        }
        else
        {
            Clean = (Clean.Requests + slice.Requests, Clean.Seconds + slice.Seconds);
        }

        if (_load.OldestTick < ticked)
        {
            Tally.NoteFinding($"an observer is at {_load.OldestTick}, when {ticked} was a second ago");
        }
    }

    // Faults at stage links are meant for one peer by its port, so several may be under way; others go one after the other.
    private void Inject()
    {
        _probes.RemoveAll(probe => probe.IsCompleted);
        UserCodeCall[] choice = _lane.IsCompleted
            ? _places
            : [.. _places.Where(place => place.Name.StartsWith("link ", StringComparison.Ordinal))];
        if (choice.Length == 0)
        {
            return;
        }

        UserCodeCall place = choice[_dice.Below(choice.Length)];
        string scheme = place.Scheme ?? (_dice.Below(2) == 0 ? "coap" : "coap+tcp");
        if (!place.Name.StartsWith("link ", StringComparison.Ordinal))
        {
            _lane = ProbeAsync(place, scheme, (FaultKind)_dice.Below(3));
        }
        else if (_probes.Count < 8)
        {
            _probes.Add(ProbeAsync(place, scheme, (FaultKind)_dice.Below(3)));
        }
    }

    private async Task ProbeAsync(UserCodeCall place, string scheme, FaultKind kind)
    {
        await Task.Yield();
        try
        {
            await FaultRun.InjectAsync(_rig, place, scheme, kind);
            Tally.Note(place);
        }
        catch (FaultFinding finding)
        {
            Tally.NoteFinding(finding.Message);
        }
        // Whatever a probe meets is told.
        catch (Exception exception)
        {
            Tally.NoteFinding($"{place.Name} ({scheme}, {kind}): {exception}");
        }
    }
}
