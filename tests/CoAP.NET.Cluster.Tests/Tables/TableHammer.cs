using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Nodes join, leave and are killed while others ask at all of them without a pause.</summary>
internal sealed class TableHammer(TableWorld world)
{
    private const int Askers = 8;
    private readonly ConcurrentDictionary<CoapTableKey, int> _confirmed = new();
    private readonly ConcurrentQueue<string> _backwards = new();
    private readonly CancellationTokenSource _enough = new();
    private Task[] _askers = [];
    private int _asked;

    /// <summary>
    /// What was confirmed is there at the end, the same on all nodes, and no node has shown an older state after a newer one.
    /// </summary>
    public async Task RunAsync()
    {
        await world.StartAsync(3);
        world.Nodes.ForEach(Watch);
        _askers = [.. Enumerable.Range(0, Askers).Select(AskOnAsync)];
        try
        {
            await JoinLeaveAndKillAsync();
        }
        finally
        {
            // Also after a failure: they would ask the disposed nodes without a pause.
            await _enough.CancelAsync();
        }

        await world.PassAsync(Task.WhenAll(_askers));
        _enough.Dispose();
        await world.FairAsync();
        await world.AgreeAsync();
        world.AssertSame();
        Assert.Empty(_backwards);
        Assert.NotEmpty(_confirmed);
        foreach ((CoapTableKey key, int count) in _confirmed)
        {
            int shown = world.Nodes[0].Rules.Told.GetValueOrDefault(key)?.Length ?? 0;
            Assert.True(shown >= count, $"{key} has {shown} of {count} that were confirmed.");
        }
    }

    private async Task JoinLeaveAndKillAsync()
    {
        await SomeMoreAsync();
        await world.LeaveAsync(world.Nodes[0]);
        await SomeMoreAsync();
        Watch(await world.AddAsync());
        await SomeMoreAsync();
        await world.KillAsync(world.Nodes[0]);
        await SomeMoreAsync();
        Watch(await world.AddAsync());
        await SomeMoreAsync();
    }

    // Values only become longer.
    private void Watch(TableNode node)
    {
        ConcurrentDictionary<CoapTableKey, int> shown = new(node.Rules.Told.Select(
            one => KeyValuePair.Create(one.Key, one.Value.Length)));
        node.Rules.OnTold = change =>
        {
            int length = change.Value?.Length ?? 0;
            if (length < shown.GetValueOrDefault(change.Key))
            {
                _backwards.Enqueue($"{change.Key} had {shown[change.Key]} and then {length}.");
            }

            shown[change.Key] = length;
        };
    }

    private Task SomeMoreAsync()
    {
        int until = Volatile.Read(ref _asked) + 300;
        return world.UntilAsync(() => Volatile.Read(ref _asked) >= until || _askers.Any(asker => asker.IsFaulted));
    }

    private async Task AskOnAsync(int number)
    {
        await Task.Yield();
        for (int i = 0; !_enough.IsCancellationRequested; i++)
        {
            CoapTableKey key = Key(((number * 31) + (i * 7)) % 256, $"{number}");
            try
            {
                await world.Nodes[(number + i) % 2].Table.AskAsync(key, "add x");
                _confirmed.AddOrUpdate(key, 1, (_, count) => count + 1);
            }
            catch (Exception exception) when (exception is CoapTableUnavailableException { IsOutcomeUnknown: true }
                or ObjectDisposedException)
            {
                // The node that was asked is the one that was killed or has left.
            }

            Interlocked.Increment(ref _asked);
        }
    }
}
