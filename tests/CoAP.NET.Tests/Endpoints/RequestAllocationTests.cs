using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Endpoints;

public sealed class RequestAllocationTests : EndpointTest
{
    [Fact]
    public async Task A_confirmable_request_that_is_answered_at_once_allocates_no_more_than_448_bytes()
    {
        // As many exchanges are forgotten as are remembered.
        Options.Limits.Peers.NewcomerMemory = 512 * 1024;
        Options.Limits.Deduplication.Memory = 512 * 1024;
        CoapResult kept = CoapResults.Text("21.5");
        Server.MapGet("/t", () => kept);
        await StartAsync();
        Transport.Discards = true;
        CoapDatagram[] requests = [.. Enumerable.Range(0, 30_000).Select(id => Request(id))];
        int next = 0;
        Serve(15_000);
        long each = Allocations.Least(() => Serve(15_000 / Allocations.Runs)) / (15_000 / Allocations.Runs);
        Assert.Equal(30_000, Server.Endpoint.Counters[CoapCounter.RequestsReceived]);
        Assert.InRange(each, 1, 448);

        void Serve(int count)
        {
            for (int i = 0; i < count; i++)
            {
                Transport.Context.Receive(requests[next++]);
            }
        }

        CoapDatagram Request(int id)
        {
            // Many peers, so that none is at the bound of what is remembered of one.
            CoapAddress remote = CoapAddress.FromIPv4(0xc0000201, (ushort)(40_000 + (id % 64)));
            byte[] bytes = [0x41, 0x01, (byte)(id >> 8), (byte)id, 0xa1, 0xb1, (byte)'t'];
            CoapDatagram datagram = new(bytes.Length)
            {
                Length = bytes.Length,
                Remote = remote,
                Local = DirectTransport.Local,
                Transport = Transport
            };
            bytes.CopyTo(datagram.Buffer, 0);
            return datagram;
        }
    }
}
