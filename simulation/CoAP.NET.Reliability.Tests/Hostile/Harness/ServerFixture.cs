namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>
/// One server for all rows of a table; a new one after a row that failed, so that the next ones are judged by themselves.
/// </summary>
public sealed class ServerFixture : IAsyncLifetime
{
    private ServerWorld? _world;

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
        ServerWorld world = _world ?? await ServerWorld.StartAsync();
        _world = null;
        await world.RunAsync(row);
        _world = world;
    }
}
