using System.Threading.Tasks.Dataflow;
using CoAP.NET.Diagnostics;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>Nothing of a connection is dropped for lack of room in a block that a user linked in: it is not read meanwhile.</summary>
public class MeshBackpressureTests : ConnectionTest
{
    private const int Requests = 200;

    public static TheoryData<string> StageLinks => ["datagram in", "inbound", "exchange", "reply", "outbound", "datagram out"];

    [Theory]
    [MemberData(nameof(StageLinks))]
    public async Task A_full_block_pauses_its_connection_and_loses_no_message(string link)
    {
        using ManualResetEventSlim goesOn = new();
        Insert(link, goesOn);
        Server.MapPost("/x", (CoapRequestContext request) => CoapResults.Text(Encoding.ASCII.GetString(request.Payload.Span)));
        await StartStreamsAsync();
        DirectConnection connection = Streams.Accept();
        HashSet<string> answered = [];
        TaskCompletionSource all = new(RunContinuationsAsynchronously);
        connection.OnSent = hex =>
        {
            lock (answered)
            {
                // After our own CSM.
                if (!hex.StartsWith('7') && answered.Add(hex) && answered.Count == Requests)
                {
                    all.SetResult();
                }
            }
        };

        connection.Receive(LargeCsm
            + string.Concat(Enumerable.Range(0, Requests)
                .Select(static i => $"5202{i:x4}b178ff{(byte)('a' + (i % 26)):x2}{(byte)('a' + (i / 26)):x2}")));

        goesOn.Set();
        await Within(all.Task);
        await Eventually.IsTrueAsync(() => connection.Pauses == 0);

        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.Declined]);
        Assert.Equal(0, Server.Endpoint.Counters[CoapCounter.Busy]);
        Assert.True(Server.Endpoint.Counters[CoapCounter.ReadingPauses] > 0);
    }

    private void Insert(string link, ManualResetEventSlim goesOn)
    {
        // A block that holds one and does not go on before all frames have come is full.
        switch (link)
        {
            case "datagram in":
                Options.Pipeline.Insert(CoapStageLinks.TransportToChannel, () => Slow<CoapDatagram>(goesOn));
                break;
            case "inbound":
                Options.Pipeline.Insert(CoapStageLinks.SerializerToMessaging, () => Slow<CoapInbound>(goesOn));
                break;
            case "exchange":
                Options.Pipeline.Insert(CoapStageLinks.ExchangesToResource, () => Slow<CoapExchange>(goesOn));
                break;
            case "reply":
                Options.Pipeline.Insert(CoapStageLinks.ResourceToExchanges, () => Slow<CoapServerReply>(goesOn));
                break;
            case "outbound":
                Options.Pipeline.Insert(CoapStageLinks.MessagingToSerializer, () => Slow<CoapOutbound>(goesOn));
                break;
            default:
                Options.Pipeline.Insert(CoapStageLinks.ChannelToTransport, () => Slow<CoapDatagram>(goesOn));
                break;
        }
    }

    private static TransformBlock<T, T> Slow<T>(ManualResetEventSlim goesOn) => new(
        item =>
        {
            goesOn.Wait(FromMinutes(2));
            return item;
        },
        new ExecutionDataflowBlockOptions { BoundedCapacity = 1 });
}
