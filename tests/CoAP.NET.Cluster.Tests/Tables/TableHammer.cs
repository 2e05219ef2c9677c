using System.Collections.Concurrent;
using CoAP.NET.Tests;
using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>Nodes join, leave and are killed while others ask at all of them without a pause.</summary>
internal sealed class TableHammer(TableWorld world)
{
    private const int Askers = 8;
    private readonly ConcurrentDictionary<CoapTableKey, int> _confirmed = new();
    private readonly CancellationTokenSource _enough = new();
    private Task[] _askers = [];
    private int _asked;

    /// <summary>What was confirmed is there at the end, the same on all nodes.</summary>
    public async Task RunAsync()
    {
        await world.StartAsync(3);
        _askers = [.. Enumerable.Range(0, Askers).Select(AskOnAsync)];
        await SomeMoreAsync();
        await world.LeaveAsync(world.Nodes[0]);
        await SomeMoreAsync();
        await world.AddAsync();
        await SomeMoreAsync();
        await world.KillAsync(world.Nodes[0]);
        await SomeMoreAsync();
        await world.AddAsync();
        await SomeMoreAsync();
        await _enough.CancelAsync();
        await Task.WhenAll(_askers);
        _enough.Dispose();
        await world.FairAsync();
        await world.AgreeAsync();
        world.AssertSame();
        Assert.NotEmpty(_confirmed);
        foreach ((CoapTableKey key, int count) in _confirmed)
        {
            Assert.True(world.Nodes[0].Rules.Told[key].Length >= count, $"{key} has lost what was confirmed.");
        }
    }

    private Task SomeMoreAsync()
    {
        int until = Volatile.Read(ref _asked) + 300;
        return Eventually.IsTrueAsync(() => Volatile.Read(ref _asked) >= until || _askers.Any(static asker => asker.IsFaulted));
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
                _confirmed.AddOrUpdate(key, 1, static (_, count) => count + 1);
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
