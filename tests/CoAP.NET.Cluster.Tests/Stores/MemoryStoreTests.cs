using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;

namespace CoAP.NET.Cluster.Tests.Stores;

public sealed class MemoryStoreTests : SharedStoreSuite
{
    private readonly VirtualClock _clock = new();
    private readonly CoapMemoryCluster _cluster;

    public MemoryStoreTests() => _cluster = new CoapMemoryCluster(_clock);

    [Fact]
    public async Task An_unavailable_store_reports_the_fault_and_has_all_records_when_it_is_available_again()
    {
        (ICoapClusterStore store, CoapFencingToken fence) = await OwnerAsync();
        await WriteAsync(store, Put("a", fence, "state"));

        _cluster.IsAway = true;
        CoapClusterStoreException exception = await Assert.ThrowsAsync<CoapClusterStoreException>(async () =>
            await store.WriteAsync((CoapRecordWrite[])[Put("a", fence, "lost")], Token));
        Assert.Equal(CoapClusterStoreFault.Unavailable, exception.Fault);
        Assert.True(exception.IsTransient);

        _cluster.IsAway = false;
        Assert.Equal(["a=state"], await TextsAsync(store));
    }

    private protected override ICoapClusterStore OpenStore() => _cluster.Open();

    private protected override Task PassAsync(TimeSpan time)
    {
        _clock.Advance(time);
        return Task.CompletedTask;
    }
}
