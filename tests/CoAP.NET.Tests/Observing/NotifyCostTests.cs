namespace CoAP.NET.Tests.Observing;

/// <summary>What a change costs on its way to an observer.</summary>
public sealed class NotifyCostTests : ServerObserveTest
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_notification_takes_the_shard_lock_four_times_from_the_change_to_the_datagram(bool confirmable)
    {
        Options.Transports.Shards = 1;
        CoapRouteHandlerBuilder route = MapState(confirmable: confirmable, probe: false);
        await StartAsync();
        Register(Peer);
        Pass(10);
        CoapShard shard = Server.Endpoint.Pipelines[0].Shard;
        for (int i = 1; i <= 5; i++)
        {
            // To mark the change; to begin the run; to publish what it gave; to take a Message ID.
            long before = shard.LocksTaken;
            Change(route, $"{i}");
            CoapMessage sent = TakeOne();
            Assert.Equal(($"{i}", 4), (TextOf(sent), shard.LocksTaken - before));
            if (confirmable)
            {
                Acknowledge(Peer, sent);
            }

            Pass(10);
        }
    }

    [Fact]
    public async Task Retransmissions_of_a_notification_whose_bytes_are_not_stored_are_identical()
    {
        CoapRouteHandlerBuilder route = MapState();
        await StartAsync();
        Register(Peer);
        route.Notify();
        Settle();
        string first = Assert.Single(Transport.TakeSent());
        Pass(100);
        Transport.HasSent(first, first, first, first);
    }
}
