using CoAP.NET.Tests.Endpoints;
using CoAP.NET.Tests.Shard;

namespace CoAP.NET.Tests.Blockwise;

public sealed class AllocationTests : EndpointTest
{
    [Fact]
    public async Task A_plain_exchange_allocates_hardly_more_than_without_blocks_and_observers()
    {
        CoapResult kept = CoapResults.Text("21.5");
        Server.MapGet("/t", () => kept);
        await StartAsync();
        byte[] request = Wire.Hex("41010001a1b174");
        int sent = 0;
        void Serve(int count)
        {
            for (int i = 0; i < count; i++, sent++)
            {
                // Never a duplicate.
                request[2] = (byte)(sent >> 8);
                request[3] = (byte)sent;
                Transport.Receive(CoapAddress.FromIPv4(0x0a000001, (ushort)(1 + (sent / 65_536))), request);
                Transport.TakeAll();
            }
        }

        Serve(10_000);
        // Some 520 B are the exchange's, with what is remembered of it; the rest is what the test's transport makes.
        Assert.InRange(Allocations.Least(() => Serve(10_000)) / 10_000, 1, 832);
    }
}
