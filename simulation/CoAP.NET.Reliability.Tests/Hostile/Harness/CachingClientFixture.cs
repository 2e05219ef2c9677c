using CoAP.NET.Caching;

namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>One client with a cache for all rows of a table; a new one after a row that failed.</summary>
public sealed class CachingClientFixture : IAsyncLifetime
{
    private ClientWorld? _world;

    public ValueTask InitializeAsync() => ValueTask.CompletedTask;

    public async ValueTask DisposeAsync()
    {
        if (_world is not null)
        {
            await _world.DisposeAsync();
        }
    }

    internal async Task RunAsync(HostileRow row)
    {
        ClientWorld world = _world ?? await ClientWorld.StartAsync(static options => options.Cache = new CoapCache());
        _world = null;
        await world.RunAsync(row).WaitAsync(TimeSpan.FromMinutes(2));
        _world = world;
    }
}
