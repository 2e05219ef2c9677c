using System.Globalization;
using CoAP.NET.Testing;

namespace CoAP.NET.Simulation.Simulate.Proxies;

/// <summary>
/// Clients that ask and observe servers through a proxy, forward by Proxy-Uri and Proxy-Scheme and reverse by a path, over a network that
/// loses, repeats and reorders datagrams, while any of them is restarted. What is done comes from a seed. The proxy runs on threads, so a
/// seed gives the same scenario, but not the same run bit for bit.
/// </summary>
/// <param name="seed">Where chance begins.</param>
/// <param name="plant">A defect: <c>wrong-answer</c>, <c>second-registration</c>, <c>no-end</c> or <c>left-observer</c>; null for
/// none.</param>
internal sealed class ProxyRun(ulong seed, string? plant = null) : IAsyncDisposable
{
    public const int Origins = 2;
    public const int Clients = 3;
    public const int MaxAge = 60;

    private static readonly TimeSpan s_patience = TimeSpan.FromMinutes(30);

    private readonly Dice _dice = new(seed);
    private readonly List<string> _violations = [];
    private readonly List<Task> _operations = [];
    private readonly List<ProxyWatch> _watches = [];
    private readonly ProxyNodes _nodes = new(seed, plant);
    private int _ids;
    private int _answered;
    private int _failed;

    /// <summary>What did not hold.</summary>
    public IReadOnlyList<string> Violations => _violations;

    /// <summary>What happened, for people.</summary>
    public string Summary => string.Create(
        CultureInfo.InvariantCulture,
        $"seed {seed}: {_ids} requests, {_answered} answered, {_failed} failed, {_watches.Count} observations, "
        + $"{_nodes.Restarts} restarts, {_nodes.Clock.Elapsed.TotalMinutes:0} virtual minutes");

    /// <summary>Does everything, and checks it.</summary>
    /// <param name="steps">How many things happen while the network is bad.</param>
    public async Task RunAsync(int steps)
    {
        await _nodes.StartAsync().ConfigureAwait(false);
        _nodes.Network.Conditions = new NetworkConditions
        {
            Loss = _dice.Between(0, 15) / 100.0,
            Duplication = _dice.Between(0, 10) / 100.0,
            Reordering = _dice.Between(0, 20) / 100.0,
            MinDelay = TimeSpan.FromMilliseconds(5),
            MaxDelay = TimeSpan.FromMilliseconds(_dice.Between(5, 120)),
        };
        for (int i = 0; i < steps; i++)
        {
            await StepAsync().ConfigureAwait(false);
            await PassAsync(TimeSpan.FromMilliseconds(_dice.Between(0, 6000))).ConfigureAwait(false);
        }

        _nodes.Network.Conditions = NetworkConditions.Delayed(TimeSpan.FromMilliseconds(10));
        await MustAsync("every request and registration ends", () => _operations.TrueForAll(static one => one.IsCompleted))
            .ConfigureAwait(false);
        foreach (Task failed in _operations.Where(static one => one.IsFaulted))
        {
            _violations.Add($"a failure of a kind that nobody expects: {failed.Exception!.InnerException}");
        }

        await CheckChangesAsync().ConfigureAwait(false);
        await CheckEndAsync().ConfigureAwait(false);
        await CheckSilenceAsync().ConfigureAwait(false);
    }

    public ValueTask DisposeAsync() => _nodes.DisposeAsync();

    private async Task StepAsync()
    {
        int client = _dice.Between(0, Clients);
        int origin = _dice.Between(0, Origins);
        ProxyWay way = _dice.Pick(ProxyWay.Uri, ProxyWay.Scheme, ProxyWay.Reverse);
        switch (_dice.Between(0, 20))
        {
            case < 10:
                _operations.Add(AskAsync(client, origin, way));
                break;
            case < 14:
                _operations.Add(WatchAsync(client, origin, _dice.Between(0, 2), way));
                break;
            case < 17:
                _nodes.Change(origin, _dice.Between(0, 2));
                break;
            case 17:
                await _nodes.RestartOriginAsync(origin).ConfigureAwait(false);
                break;
            case 18:
                await _nodes.RestartProxyAsync().ConfigureAwait(false);
                break;
            default:
                _watches.RemoveAll(watch => watch.Client == client);
                await _nodes.RestartClientAsync(client).ConfigureAwait(false);
                break;
        }

        _violations.AddRange(_nodes.WrongRegistrations());
    }

    private async Task AskAsync(int client, int origin, ProxyWay way)
    {
        int id = ++_ids;
        CoapMethod method = _dice.Pick(CoapMethod.Get, CoapMethod.Put, CoapMethod.Post, CoapMethod.Fetch);
        CoapRequest request = _nodes.Make(method, way, origin, $"echo/{id}");
        byte[] body = new byte[method == CoapMethod.Get ? 0 : _dice.Pick(1, 100, 3000)];
        Dice.Fill((ulong)id, body);
        request.Content = body.Length > 0 ? CoapContent.Binary(body) : null;
        int restarts = _nodes.Restarts;
        try
        {
            CoapResponse response = await _nodes.Clients[client].SendAsync(request).ConfigureAwait(false);
            if (!response.IsSuccess)
            {
                Interlocked.Increment(ref _failed);
                return;
            }

            Interlocked.Increment(ref _answered);
            if (!response.Payload.Span.SequenceEqual(ProxyNodes.Answer(origin, id, body)))
            {
                Violate($"request {id} ({way}) to origin {origin} was given the answer to something else");
            }
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException or OperationCanceledException)
        {
            Interlocked.Increment(ref _failed);
        }

        if (method == CoapMethod.Post && restarts == _nodes.Restarts && _nodes.RunsOf(id) > 1)
        {
            Violate($"POST {id} ({way}) was carried out {_nodes.RunsOf(id)} times, although nobody was restarted");
        }
    }

    private async Task WatchAsync(int client, int origin, int state, ProxyWay way)
    {
        CoapClient observer = _nodes.Clients[client];
        try
        {
            CoapObservation observation = await observer.ObserveAsync(_nodes.Make(CoapMethod.Get, way, origin, $"state/{state}"))
                .ConfigureAwait(false);
            lock (_violations)
            {
                if (_nodes.Clients[client] == observer)
                {
                    _watches.Add(new ProxyWatch(client, origin, state, way, observation));
                }
            }
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException or OperationCanceledException)
        {
            // Lost on the way; others are observed.
        }
    }

    private async Task CheckChangesAsync()
    {
        for (int round = 0; round < 2; round++)
        {
            for (int at = 0; at < Origins * 2; at++)
            {
                _nodes.Change(at / 2, at % 2);
            }

            await MustAsync(
                "every observer hears of the last state",
                () => _watches.TrueForAll(watch =>
                    watch.Observation.State == CoapObserveState.Observing && watch.Text == _nodes.TextOf(watch.Origin, watch.State)),
                () => string.Join(", ", _watches.Where(watch => watch.Text != _nodes.TextOf(watch.Origin, watch.State))))
                .ConfigureAwait(false);
        }

        if (plant == "second-registration")
        {
            await _nodes.Clock.AdvanceUntilAsync(_nodes.ObserveBesideAsync(), s_patience).ConfigureAwait(false);
        }

        // Registrations of a proxy or client that was restarted have ended by their rejections.
        await MustAsync(
            "a server has one registration of the proxy for what is observed through it in one way",
            () => Enumerable.Range(0, Origins * 2).All(at => _nodes.ObserversOf(at / 2, at % 2) == WaysOf(at / 2, at % 2)),
            () => string.Join(", ", Enumerable.Range(0, Origins * 2).Select(at =>
                $"origin {at / 2} state {at % 2}: {_nodes.ObserversOf(at / 2, at % 2)} for {WaysOf(at / 2, at % 2)}")))
            .ConfigureAwait(false);
    }

    // Forward and reverse proxies ask by clients of their own.
    private int WaysOf(int origin, int state) => _watches.Where(watch => watch.Origin == origin && watch.State == state)
        .Select(static watch => watch.Way == ProxyWay.Reverse).Distinct().Count();

    private async Task CheckEndAsync()
    {
        ProxyWatch[] ended = [.. _watches.Where(static watch => watch.Origin == 0)];
        if (plant != "no-end")
        {
            _nodes.EndStatesOf(0);
        }

        await MustAsync("an end of the server comes to every observer", () => Array.TrueForAll(ended, static watch => watch.HasEnded))
            .ConfigureAwait(false);
    }

    private async Task CheckSilenceAsync()
    {
        foreach (ProxyWatch watch in plant == "left-observer" ? _watches[..^1] : _watches)
        {
            await watch.Observation.DisposeAsync().ConfigureAwait(false);
        }

        await MustAsync("nothing is left after silence", () => _nodes.Left() == "", _nodes.Left).ConfigureAwait(false);
    }

    private Task PassAsync(TimeSpan time)
    {
        TimeSpan until = _nodes.Clock.Elapsed + time;
        return _nodes.Clock.AdvanceUntilAsync(
            () => _nodes.Clock.Elapsed >= until, time + TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(1));
    }

    private async Task MustAsync(string what, Func<bool> holds, Func<string>? describe = null)
    {
        try
        {
            await _nodes.Clock.AdvanceUntilAsync(holds, s_patience).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            Violate($"not so after {s_patience.TotalMinutes:0} minutes: {what}{(describe is null ? "" : $" ({describe()})")}");
        }
    }

    private void Violate(string text)
    {
        lock (_violations)
        {
            _violations.Add($"at {_nodes.Clock.Elapsed}: {text}");
        }
    }
}
