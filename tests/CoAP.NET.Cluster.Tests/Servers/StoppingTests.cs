using CoAP.NET.Cluster.Tests.Observing;

namespace CoAP.NET.Cluster.Tests.Servers;

/// <summary>What clients see of a server of a cluster that stops.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class StoppingTests : IAsyncDisposable
{
    private readonly ObserverWorld _world = new();

    [Fact]
    public async Task Requests_to_a_stopping_server_are_left_unanswered_for_its_successor()
    {
        await _world.StartAsync();
        TaskCompletionSource begun = new(RunContinuationsAsynchronously);
        TaskCompletionSource<CoapResult> end = new(RunContinuationsAsynchronously);
        _world.Server.MapGet("/devices/slow", (CoapRequestContext _, CancellationToken _) =>
        {
            begun.SetResult();
            return end.Task;
        });
        using ScriptedPeer client = _world.Client(1);
        client.Send(ObserverWorld.Datagram(1, "slow", 1, observe: null));
        await _world.Clock.AdvanceUntilAsync(begun.Task, FromMinutes(1));
        Task stop = _world.Server.StopAsync();
        client.Send(ObserverWorld.Datagram(2, "1", 2, observe: null));
        await _world.PassAsync(FromSeconds(1));
        Assert.DoesNotContain(client.Received, datagram => datagram.MessageId == 2);
        end.SetResult(CoapResults.Text("done"));
        await _world.Clock.AdvanceUntilAsync(stop, FromMinutes(1));

        await _world.StopAsync();
        await _world.StartAsync();
        client.Send(ObserverWorld.Datagram(2, "1", 2, observe: null));
        await _world.UntilAsync(() => client.Received.Any(datagram => datagram.MessageId == 2));
        Assert.Equal(CoapCode.Content, client.Received.Single(datagram => datagram.MessageId == 2).Code);
    }

    [Theory]
    [InlineData(null, false)]
    [InlineData(true, true)]
    [InlineData(false, false)]
    public async Task AnswerWhileStopping_keeps_its_configured_value_and_is_false_by_default(bool? said, bool expected)
    {
        await using CoapCluster cluster = new(_world.Memory.Open(), ClusterTests.Options());
        CoapEndpointOptions options = new() { Processes = { AnswerWhileStopping = said } };
        Assert.Equal(expected, cluster.KeepState(options).Processes.AnswerWhileStopping);
    }

    public ValueTask DisposeAsync() => _world.Server is null ? ValueTask.CompletedTask : _world.DisposeAsync();
}
