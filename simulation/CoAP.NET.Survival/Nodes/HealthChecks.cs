namespace CoAP.NET.Survival.Nodes;

/// <summary>
/// Asks nodes again and again whether they are ready, as a balancer does, and has it use those that are: ready and not ready are noticed
/// with the next answer, silence after a time.
/// </summary>
internal sealed class HealthChecks : IAsyncDisposable
{
    private static readonly TimeSpan s_period = TimeSpan.FromMilliseconds(100);
    private static readonly TimeSpan s_silence = TimeSpan.FromSeconds(1);

    private readonly UdpBalancer _balancer;
    private readonly CoapClient _client = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Lock _gate = new();
    private readonly Dictionary<NodeProcess, Task> _checks = [];
    private readonly HashSet<NodeProcess> _ready = [];
    private TaskCompletionSource _changed = new(TaskCreationOptions.RunContinuationsAsynchronously);

    /// <summary>Begins to check nobody.</summary>
    /// <param name="balancer">Is told which nodes to use.</param>
    public HealthChecks(UdpBalancer balancer) => _balancer = balancer;

    /// <summary>Begins to check a node.</summary>
    public void Add(NodeProcess node)
    {
        lock (_gate)
        {
            _checks.Add(node, CheckAsync(node));
        }
    }

    /// <summary>Ends the checks of a node that is gone for good; it is not used any more.</summary>
    public async Task RemoveAsync(NodeProcess node)
    {
        Task? check;
        lock (_gate)
        {
            _checks.Remove(node, out check);
        }

        await (check ?? Task.CompletedTask);
    }

    /// <summary>Whether a node is ready.</summary>
    public bool IsReady(NodeProcess node)
    {
        lock (_gate)
        {
            return _ready.Contains(node);
        }
    }

    /// <summary>Waits until so many nodes are ready.</summary>
    /// <param name="count">How many.</param>
    /// <exception cref="TimeoutException">They are not after two minutes.</exception>
    public async Task UntilReadyAsync(int count)
    {
        using CancellationTokenSource guard = new(TimeSpan.FromMinutes(2));
        while (true)
        {
            Task changed;
            lock (_gate)
            {
                if (_ready.Count == count)
                {
                    return;
                }

                changed = _changed.Task;
            }

            try
            {
                await changed.WaitAsync(guard.Token);
            }
            catch (OperationCanceledException)
            {
                throw new TimeoutException($"Not {count} nodes are ready, but {_ready.Count}.");
            }
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync();
        Task[] checks;
        lock (_gate)
        {
            checks = [.. _checks.Values];
        }

        await Task.WhenAll(checks);
        await _client.DisposeAsync();
        _stop.Dispose();
    }

    private async Task CheckAsync(NodeProcess node)
    {
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        try
        {
            while (IsChecked(node))
            {
                Set(node, await IsReadyAsync(node));
                await Task.Delay(s_period, TimeProvider.System, _stop.Token);
            }
        }
        catch (OperationCanceledException)
        {
            // All is over.
        }

        Set(node, false);
    }

    private bool IsChecked(NodeProcess node)
    {
        lock (_gate)
        {
            return _checks.ContainsKey(node);
        }
    }

    private async Task<bool> IsReadyAsync(NodeProcess node)
    {
        try
        {
            CoapRequest request = new(CoapMethod.Get, $"{node.Health}/{Node.Ready}") { Timeout = s_silence };
            CoapResponse response = await _client.SendAsync(request, _stop.Token);
            return response.Code == CoapCode.Content;
        }
        catch (CoapException)
        {
            return false;
        }
    }

    private void Set(NodeProcess node, bool isReady)
    {
        TaskCompletionSource changed;
        lock (_gate)
        {
            if (isReady ? !_ready.Add(node) : !_ready.Remove(node))
            {
                return;
            }

            _balancer.Use([.. _ready.Select(one => one.Backend)]);
            changed = _changed;
            _changed = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        }

        changed.SetResult();
    }
}

/// <summary>A state that devices observe.</summary>
internal sealed class NodePhase
{
    /// <summary>Which it is; 0 at first.</summary>
    public int Number
    {
        get => Volatile.Read(ref field);
        set => Volatile.Write(ref field, value);
    }
}
