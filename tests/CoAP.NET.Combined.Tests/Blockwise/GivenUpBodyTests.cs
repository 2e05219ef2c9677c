
namespace CoAP.NET.Tests.Blockwise;

/// <summary>What bodies of Q-Block1 leave behind; alone, because other tests would be measured too.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class GivenUpBodyTests : QBlockTest
{
    [Fact]
    public async Task Abandoned_QBlock1_bodies_are_freed_while_their_peers_may_still_reject_a_missing_block_list()
    {
        Server.MapPut("/store", static () => CoapResults.Changed());
        await StartAsync();
        byte[] body = Body(40_000);
        long before = GC.GetTotalMemory(forceFullCollection: true);

        // A hole in the first set, so that the server asks for what is missing; then a new body in place of it.
        for (byte tag = 1; tag <= 250; tag++)
        {
            Deliver(QBlock1(body, 0, tag: tag));
            Deliver(QBlock1(body, 2000, tag: tag));
        }

        long now = GC.GetTotalMemory(forceFullCollection: true);
        Assert.Equal(1, Bodies.Count);
        Assert.InRange(now - before, long.MinValue, 4_000_000);
    }
}
