namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>
/// Clients that ask and observe servers through one to three proxies, forward and reverse ones, over UDP, TCP and secured transports, on a
/// network that loses, repeats and reorders datagrams, while any of them is restarted or cut off. Proxies run on threads, so a scenario is
/// the same each time, but a run not bit for bit.
/// </summary>
internal sealed class ProxyRun : IAsyncDisposable
{
    // Forward and reverse proxies ask by clients of their own, each over datagrams and streams; and a path of the last of several proxies
    // is one more target.
    private const int Registrations = 4;
    private const int Targets = 6;

    private readonly ProxyScenario _scenario;
    private readonly string? _plant;
    private readonly ProxyNodes _nodes;
    private readonly ProxyJournal _journal;
    private readonly ProxyRequests _requests;
    private readonly List<ProxyWatch> _watches = [];
    private readonly List<Task> _operations = [];

    /// <summary>Makes a run.</summary>
    /// <param name="scenario">The scenario.</param>
    /// <param name="plant">One of <see cref="ProxyPlants"/>; null for none.</param>
    public ProxyRun(ProxyScenario scenario, string? plant = null)
    {
        _scenario = scenario;
        _plant = plant;
        _nodes = new ProxyNodes(scenario.Plan, plant);
        _journal = new ProxyJournal(_nodes.Clock);
        _requests = new ProxyRequests(_nodes, _journal);
        _nodes.Network.Filter = new ProxyWire(plant, _journal.Violate).OnPacket;
    }

    /// <summary>What did not hold.</summary>
    public IReadOnlyList<ProxyViolation> Violations => _journal.Violations;

    /// <summary>What happened, for people.</summary>
    public string Summary =>
        $"seed {_scenario.Plan.Seed}: {_scenario.Plan.Proxies} proxies, {_journal.Asked} requests, {_journal.Answered} answered, "
        + $"{_nodes.Proxies.Sum(one => one.Counters.CacheHits)} from caches, "
        + $"{_nodes.Origins.Sum(one => one.Validations)} validated, {_watches.Count} observations, "
        + $"{_nodes.Disturbances} restarts and partitions, {_nodes.Clock.Elapsed.TotalMinutes:0} virtual minutes";

    /// <summary>Does everything, and checks it.</summary>
    public async Task RunAsync()
    {
        await _nodes.StartAsync();
        ProxyPlan plan = _scenario.Plan;
        _nodes.Network.Conditions = new NetworkConditions
        {
            Loss = plan.Loss / 1000.0,
            Duplication = plan.Duplication / 1000.0,
            Reordering = plan.Reordering / 1000.0,
            MinDelay = TimeSpan.FromMilliseconds(5),
            MaxDelay = TimeSpan.FromMilliseconds(plan.MaxDelay),
        };
        foreach (ProxyStep step in _scenario.Steps)
        {
            await DoAsync(step);
            CheckRegistrations();
            await _journal.PassAsync(TimeSpan.FromMilliseconds(step.Pause));
        }

        _nodes.Network.Heal();
        _nodes.Network.Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(10));
        await _journal.MustAsync(
            ProxyCheck.Ends, "every request and registration ends", () => _operations.TrueForAll(one => one.IsCompleted));
        foreach (Task failed in _operations.Where(one => one.IsFaulted))
        {
            _journal.Violate(ProxyCheck.TypedError, $"a failure of a kind that nobody expects: {failed.Exception!.InnerException}");
        }

        await new ProxyCalm(_nodes, _journal, _requests, new Dice(plan.Seed ^ 0x5eed)).CheckAsync();
        await new ProxyObservers(_nodes, _journal, _watches, _plant).CheckAsync();
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();

    private async Task DoAsync(ProxyStep step)
    {
        switch (step.Kind)
        {
            case ProxyStepKind.Observe:
                _operations.Add(ObserveAsync(step));
                break;
            case ProxyStepKind.Unobserve:
                _operations.Add(UnobserveAsync(step));
                break;
            case ProxyStepKind.Change:
                _nodes.Origins[step.Origin].Change(step.Resource);
                break;
            case ProxyStepKind.ChangeKept:
                _nodes.Origins[step.Origin].Replace(step.Resource);
                break;
            case ProxyStepKind.End or ProxyStepKind.Return:
                _nodes.Origins[step.Origin].SetEnded(step.Kind == ProxyStepKind.End);
                break;
            case ProxyStepKind.RestartOrigin:
                await _nodes.RestartOriginAsync(step.Origin);
                break;
            case ProxyStepKind.RestartProxy:
                await _nodes.RestartProxyAsync(step.Proxy);
                break;
            case ProxyStepKind.RestartClient:
                lock (_watches)
                {
                    _watches.RemoveAll(watch => watch.Step.Client == step.Client);
                }

                await _nodes.RestartClientAsync(step.Client);
                break;
            case ProxyStepKind.CutClient:
                _nodes.CutClient(step.Client);
                break;
            case ProxyStepKind.CutProxy:
                _nodes.CutProxy(step.Proxy, step.Origin);
                break;
            case ProxyStepKind.Heal:
                _nodes.Network.Heal();
                break;
            default:
                _operations.Add(_requests.SendAsync(step));
                break;
        }
    }

    private async Task ObserveAsync(ProxyStep step)
    {
        CoapClient observer = _nodes.Client(step.Client);
        try
        {
            CoapObservation observation = await observer.ObserveAsync(_nodes.Make(step, $"state/{step.Resource}", CoapMethod.Get));
            lock (_watches)
            {
                if (_nodes.Client(step.Client) == observer)
                {
                    _watches.Add(new ProxyWatch(step, observation));
                }
            }
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException or OperationCanceledException)
        {
            // Lost on the way; others are observed.
        }
    }

    private async Task UnobserveAsync(ProxyStep step)
    {
        ProxyWatch? given;
        lock (_watches)
        {
            given = _watches.Find(watch => watch.Step.Client == step.Client);
            _watches.Remove(given!);
        }

        if (given is not null)
        {
            await given.Observation.DisposeAsync();
        }
    }

    private void CheckRegistrations()
    {
        const int States = ProxyOrigin.Count * ProxyOrigin.States;
        foreach (ProxyHop proxy in _nodes.Proxies.Where(one => one.Counters.Observations > States * Targets))
        {
            _journal.Violate(ProxyCheck.OneRegistration, $"{proxy.Host} has {proxy.Counters.Observations} registrations");
        }

        // A server may still have those of a proxy that has forgotten them.
        for (int at = 0; at < States && !_nodes.Proxies[^1].WasRestarted; at++)
        {
            (int origin, int state) = (at / ProxyOrigin.States, at % ProxyOrigin.States);
            if (_nodes.Origins[origin].ObserversOf(state) is var twice and > Registrations)
            {
                _journal.Violate(
                    ProxyCheck.OneRegistration, $"origin {origin} has {twice} registrations of the last proxy for state {state}");
            }
        }
    }
}
