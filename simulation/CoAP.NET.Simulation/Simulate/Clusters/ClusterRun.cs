using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Simulation.Simulate.Clusters;

/// <summary>
/// Devices that send requests, observe and answer behind a balancer and two to four nodes over one store. Meanwhile nodes die, are
/// suspended, leave and join, do not hear each other or the store, the store and clocks have faults, and the network loses, doubles and
/// reorders datagrams. DTLS, cluster and clocks are those of the library, in virtual time; a hub connects the nodes in place of Orleans.
/// </summary>
internal sealed class ClusterRun
{
    private static readonly TimeSpan s_start = TimeSpan.FromMinutes(2);

    private readonly ClusterScenario _scenario;
    private readonly ClusterWorld _world;

    /// <summary>Makes a run.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="plant">One of <see cref="ClusterPlants"/>; null for none.</param>
    public ClusterRun(ClusterScenario scenario, string? plant)
    {
        _scenario = scenario;
        _world = new ClusterWorld(scenario.Plan, plant);
    }

    /// <summary>What did not hold.</summary>
    public IReadOnlyList<ClusterViolation> Violations => _world.Journal.Violations;

    /// <summary>What happened, a line for each.</summary>
    public IReadOnlyList<string> Journal => _world.Journal.Lines;

    /// <summary>What happened, in numbers.</summary>
    public ClusterTally Tally => new()
    {
        Seeds = 1,
        Requests = _world.Journal.Asked,
        Answered = _world.Journal.Answered,
        Notified = _world.Journal.Notified,
        Records = _world.Wire.Records,
        Processes = _world.ProcessCount,
        Sessions = _world.Devices.Sum(device => device.Sessions),
        VirtualSeconds = (long)_world.Clock.Elapsed.TotalSeconds,
        Steps = _world.Drive.Steps,
        Lost = Count(ClusterCheck.Lost),
        Repeated = _world.Journal.Repeated,
        NumbersReused = Count(ClusterCheck.RecordNumbers) + Count(ClusterCheck.OscoreNumbers),
        Missed = Count(ClusterCheck.LastState),
        LongestWait = (long)_world.Journal.LongestWait.TotalMilliseconds,
    };

    /// <summary>Does everything, and checks it. A run that would not end is a violation.</summary>
    public async Task RunAsync()
    {
        try
        {
            await RunStepsAsync();
            await new ClusterCalm(_world).CheckAsync();
        }
        catch (EndlessRunException exception)
        {
            TellEndless($"{exception.Message} {_world.Describe()}.");
        }
    }

    /// <summary>Tells of a run that does not come to its end. Another thread than that of the run may call it.</summary>
    /// <param name="why">Why nobody waits for it any longer.</param>
    public void TellEndless(string why) =>
        _world.Journal.Violate(ClusterCheck.Progress, $"{why} Under way: {_world.Requests.DescribeUnderWay()}.");

    private async Task RunStepsAsync()
    {
        if (_world.Plan.Mixed > 0)
        {
            // The version before begins: later ones write what it reads.
            _world.Start(0);
            await _world.Drive.UntilAsync(_world.AreShared, s_start);
        }

        for (int place = 0; place < _world.Plan.Nodes; place++)
        {
            _world.Start(place);
        }

        await _world.Drive.UntilAsync(_world.AreShared, s_start);
        foreach (SimulatedDevice device in _world.Devices)
        {
            await device.StartAsync();
            Task<bool> asked = _world.Requests.AskAsync(device);
            await _world.Drive.UntilAsync(() => asked.IsCompleted, s_start);
        }

        foreach (ClusterStep step in _scenario.Steps)
        {
            Do(step);
            await PassAsync(TimeSpan.FromMilliseconds(step.Pause));
            _world.CheckOwners();
            _world.Requests.CheckEnds();
            _world.EndDoubts();
            _world.SaveStore();
        }
    }

    private int Count(ClusterCheck check) => Violations.Count(violation => violation.Check == check);

    private Task<bool> PassAsync(TimeSpan time) => _world.Drive.UntilAsync(() => false, time);

    private void Do(ClusterStep step)
    {
        SimulatedDevice device = _world.Devices[step.Device];
        TimeSpan time = TimeSpan.FromMilliseconds(step.Time);
        SimulatedClusterNode? node = _world.At(step.Node);
        switch (step.Kind)
        {
            case ClusterStepKind.Ask:
                _ = _world.Requests.AskAsync(device);
                break;
            case ClusterStepKind.Count:
                _ = _world.Requests.CountAsync(device, step.Id, step.Time);
                break;
            case ClusterStepKind.Read:
                _ = _world.Requests.ReadAsync(device, "count", device.Counter);
                _ = _world.Requests.ReadAsync(device, $"state/{step.Resource}", ClusterWorld.NameOf(step.Resource));
                break;
            case ClusterStepKind.Oscore:
                _world.Oscore.Use(step.Device, closes: step.Resource == 0);
                break;
            case ClusterStepKind.Withdraw:
                _world.Withdrawals.Withdraw(device, isReplaced: step.Resource > 0);
                break;
            case ClusterStepKind.Observe:
                Observe(device, step.Resource);
                break;
            case ClusterStepKind.Unobserve:
                if (_world.Watches.Find(watch => watch.Device == device) is { } watch)
                {
                    _world.Watches.Remove(watch);
                    _ = _world.Requests.Add($"{device} ends its observation of {watch.Resource}", s_start, watch.StopAsync);
                }

                break;
            case ClusterStepKind.RadioOff:
                device.RadioOffUntil = _world.Clock.Elapsed + time;
                _world.Trouble(time);
                break;
            case ClusterStepKind.Rebind:
                device.Rebind(_world.Network, _world.Clock.Elapsed);
                device.OnLoss(_world.Clock.Elapsed);
                break;
            case ClusterStepKind.Start:
                foreach (int place in Enumerable.Range(0, _world.Plan.Nodes).Where(place => _world.At(place) is null).Take(1))
                {
                    _world.Start(place);
                }

                break;
            case ClusterStepKind.StoreAway:
                _world.Faults.TakeStoreAway(time);
                break;
            case ClusterStepKind.LoseAnswers:
                _world.Faults.LoseAnswers(time);
                break;
            case ClusterStepKind.StoreSlow:
                _world.Faults.SlowStore(time);
                break;
            case ClusterStepKind.StoreFull:
                _world.Faults.RefuseWrites(CoapClusterStoreFault.Full, time);
                break;
            case ClusterStepKind.StoreReadOnly:
                _world.Faults.RefuseWrites(CoapClusterStoreFault.Denied, time);
                break;
            case ClusterStepKind.StoreTorn:
                _world.Faults.TearBatches(time);
                break;
            case ClusterStepKind.StoreDoubled:
                _world.Faults.DoubleWrites(time);
                break;
            case ClusterStepKind.StoreLag:
                _world.Faults.DelayNews(time);
                break;
            case ClusterStepKind.Promote:
                _world.Faults.Promote(time);
                break;
            case ClusterStepKind.Disturb:
                _world.Faults.Disturb(time);
                break;
            case ClusterStepKind.GoBack when node is { IsLeaving: false, Time.IsStill: false, Doing.IsCompleted: true }:
                _world.GoBack(node, time);
                break;
            case ClusterStepKind.Forget:
                _world.Balancer.Forget();
                break;
            case ClusterStepKind.Replay:
                _world.Balancer.Replay(step.Resource);
                break;
            default:
                if (node is { IsLeaving: false, Time.IsStill: false, Doing.IsCompleted: true })
                {
                    DoAt(node, step, device, time);
                }

                break;
        }
    }

    private void DoAt(SimulatedClusterNode node, ClusterStep step, SimulatedDevice device, TimeSpan time)
    {
        int others = _world.Nodes.Count(other => other != node && other is { IsLeaving: false, Time.IsStill: false });
        switch (step.Kind)
        {
            case ClusterStepKind.Change:
                _world.Change(step.Resource, node);
                break;
            case ClusterStepKind.AskDevice:
                _ = _world.Requests.AskDeviceAsync(node, device);
                break;
            case ClusterStepKind.Queue:
                _ = _world.Outboxes.QueueAsync(node, device, step.Id);
                break;
            case ClusterStepKind.Kill or ClusterStepKind.Vanish when others > 0:
                _world.Kill(node, step.Kind == ClusterStepKind.Vanish);
                break;
            case ClusterStepKind.Leave when others > 0:
                _world.Leave(node);
                break;
            case ClusterStepKind.Sleep:
                _world.Sleep(node, time);
                break;
            case ClusterStepKind.Twin when others > 0:
                _world.Twin(node, time);
                break;
            case ClusterStepKind.CutStore:
                _world.Faults.CutStore(node, time);
                break;
            case ClusterStepKind.ClockJump:
                _world.Faults.JumpClock(node, time);
                break;
            case ClusterStepKind.Deafen when others > 0:
                _world.Faults.Deafen(node, time);
                break;
            case ClusterStepKind.CutLink when OtherOf(node, step) is { } cut:
                _world.Faults.CutLink(node, cut, time);
                break;
            case ClusterStepKind.CutOneWay when OtherOf(node, step) is { } cut:
                _world.Faults.CutOneWay(node, cut, time);
                break;
        }
    }

    private SimulatedClusterNode? OtherOf(SimulatedClusterNode node, ClusterStep step)
    {
        SimulatedClusterNode[] others = [.. _world.Nodes.Where(other => other != node)];
        return others.Length == 0 ? null : others[step.Resource % others.Length];
    }

    private void Observe(SimulatedDevice device, int resource)
    {
        if (!_world.Watches.Exists(watch => watch.Device == device && watch.Resource == resource))
        {
            ClusterWatch watch = new(device, resource, _world);
            _world.Watches.Add(watch);
            _ = _world.Requests.Add(
                $"{device} begins to observe {resource}", s_start * 2, watch.StartAsync);
        }
    }
}

/// <summary>A run that would never end.</summary>
/// <param name="message">What goes on in it.</param>
internal sealed class EndlessRunException(string message) : Exception(message);
