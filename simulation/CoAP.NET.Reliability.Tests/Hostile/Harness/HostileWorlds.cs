using CoAP.NET.Caching;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// One server and one client for all rows of a table; a new one after a row that failed, so that the next ones are judged by themselves.
/// </summary>
public sealed class HostileWorlds : IAsyncDisposable
{
    private readonly Dictionary<string, IHostileWorld> _worlds = [];
    private string _layer = "";

    public async ValueTask DisposeAsync()
    {
        foreach (IHostileWorld world in _worlds.Values)
        {
            await world.DisposeAsync();
        }

        _worlds.Clear();
    }

    internal async Task RunAsync(string layer, string peer, string row)
    {
        HostileTable table = HostileTable.Of(layer);
        if (layer != _layer)
        {
            await DisposeAsync();
            _layer = layer;
        }

        if (!_worlds.Remove(peer, out IHostileWorld? world))
        {
            world = peer switch
            {
                HostileTable.Server => await ServerWorld.StartAsync(),
                HostileTable.Client when table == CacheTable.Table =>
                    await ClientWorld.StartAsync(options => options.Cache = new CoapCache()),
                HostileTable.Client => await ClientWorld.StartAsync(),
                _ => await StreamWorld.StartAsync(),
            };
        }

        await world.RunAsync(table.Peers[peer].Single(one => one.Name == row)).WaitAsync(TimeSpan.FromMinutes(2));
        _worlds.Add(peer, world);
    }
}

/// <summary>An endpoint of ours, and the peers that a row needs.</summary>
internal interface IHostileWorld : IAsyncDisposable
{
    Task RunAsync(HostileRow row);
}
