using System.Threading.Tasks.Dataflow;
using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging;

public sealed class HotPathTests
{
    [Fact]
    public void A_request_that_is_answered_at_once_allocates_little_more_than_its_reception()
    {
        MessagingRig rig = new();
        CoapShard shard = new(0, rig.Environment);
        MessageLayer layer = new(shard, 1);
        MessagingOutboundBlock outbound = new(shard, layer);
        MessagingInboundBlock inbound = new(shard, layer);
        MessagingEffects.Attach(outbound, inbound, layer);
        CoapMessage request = new(CoapCode.Get);
        CoapMessage response = new(CoapCode.Content);
        byte[] encoded = new byte[20];
        int sent = 0;
        inbound.LinkTo(
            new Collector<CoapInbound>(item =>
            {
                outbound.Run(new CoapOutbound { Channel = item.Channel, Received = item.Received, Message = response });
                return true;
            }),
            new DataflowLinkOptions());
        outbound.LinkTo(
            new Collector<CoapOutbound>(item =>
            {
                if (item.KeepsBytes)
                {
                    outbound.KeepBytes(item, encoded);
                }

                sent++;
                return true;
            }),
            new DataflowLinkOptions());
        CoapChannel[] channels = [.. Enumerable.Range(1, 64)
            .Select(i => new CoapChannel(shard, new FakeTransport(), 0, CoAP.NET.CoapAddress.FromIPv4(1, (ushort)i), default,
                CoapTransmissionParameters.Default))];
        void Serve(int from, int to)
        {
            for (int i = from; i < to; i++)
            {
                inbound.Run(new CoapInbound
                {
                    Channel = channels[i % 64],
                    Message = request,
                    MessageId = (ushort)(i / 64),
                    Hash = (uint)i
                });
            }
        }

        Serve(0, 64 * 1024);
        long before = GC.GetAllocatedBytesForCurrentThread();
        Serve(64 * 1024, 64 * 2047);
        double each = (GC.GetAllocatedBytesForCurrentThread() - before) / (64.0 * 1023);

        // The received message takes 80 B. The memory for replies grows no more: the newest replace the oldest.
        Assert.InRange(each, 1, 81);
        Assert.Equal(64 * 2047, sent);
        Assert.InRange(layer.Memory.Finished, 1024, 64 * 1023);
    }
}
