namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>One endpoint for all rows of a table over connections; a new one after a row that failed.</summary>
public sealed class StreamFixture : IAsyncLifetime
{
    private StreamWorld? _world;

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
        StreamWorld world = _world ?? await StreamWorld.StartAsync();
        _world = null;
        await world.RunAsync(row).WaitAsync(TimeSpan.FromMinutes(2));
        _world = world;
    }
}
