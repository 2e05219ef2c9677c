namespace CoAP.NET.Interop.Tests;

/// <summary>
/// CoapClient against a libcoap server that fails to send some of its messages (<c>-l</c>), and by way of a relay that loses and doubles
/// messages.
/// </summary>
[External(LibcoapServer.Program)]
public sealed class OurClientLossTests
{
    private const int Length = 16 * 1024;
    private const int BlockSize = 1024;
    private const int Transfers = 6;
    private const int MostRounds = 5;

    // libcoap's server does not know a Confirmable message that it has seen. When its answer to the last block of a PUT is lost, the
    // repetition of that block becomes the whole body: one transfer of ten with this loss, and more on a busy machine, where answers come
    // so late that they are asked for again. So there are several rounds of six, and one whole body is enough.
    [Fact]
    public async Task Requests_are_retransmitted_when_responses_of_libcoap_are_lost()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync("-l", "10%");

        // Several at a time, and copies follow sooner when round-trip times are measured: otherwise this takes a minute.
        await using CoapClient client = new(new CoapEndpointOptions
        {
            Parameters = new CoapTransmissionParameters
            {
                NStart = Transfers, RetransmissionTiming = CoapRetransmissionAlgorithm.Fasor, MaxRetransmit = 8,
            },
        });
        Task[] exchanges = [
            .. Enumerable.Range(0, 20).Select(async _ => Assert.Equal(CoapCode.Content, (await client.GetAsync(server.Uri("/"))).Code))];
        bool isAnyWhole = false;
        for (int round = 0; round < MostRounds && !isAnyWhole; round++)
        {
            bool[] areWhole = await Within(Task.WhenAll(Enumerable.Range(0, Transfers).Select(async i =>
            {
                byte[] body = Bodies.Make(Length, i);
                string uri = server.Uri($"/lossy-{i}");
                Assert.True((await client.PutAsync(uri, CoapContent.Binary(body))).IsSuccess);
                byte[] got = (await client.GetAsync(uri)).Payload.ToArray();
                Assert.Contains(got, new[] { body, body[^BlockSize..] });
                return got.Length == Length;
            })));
            isAnyWhole = areWhole.Contains(true);
        }

        Assert.True(isAnyWhole);
        await Within(Task.WhenAll(exchanges));
    }

    [Fact]
    public async Task Loss_and_duplication_do_not_affect_blockwise_transfers_with_libcoap()
    {
        await using LibcoapServer server = await LibcoapServer.StartAsync();
        await using CoapClient client = new();
        byte[] body = Bodies.Make(Length, 2);

        // No block comes twice to the server; see above.
        LossyPath toServer = new(loseEvery: 8, doubleEvery: 0);
        LossyPath toClients = new(loseEvery: 0, doubleEvery: 3);
        await using (LossyRelay relay = new(server.EndPoint, toServer, toClients))
        {
            Assert.True((await Within(client.PutAsync(relay.Uri("/relayed"), CoapContent.Binary(body)))).IsSuccess);
            Assert.True(toServer.Lost > 0 && toClients.Doubled > 0);
        }

        toServer = new(loseEvery: 13, doubleEvery: 3);
        toClients = new(loseEvery: 11, doubleEvery: 3);
        await using (LossyRelay relay = new(server.EndPoint, toServer, toClients))
        {
            Assert.Equal(body, (await Within(client.GetAsync(relay.Uri("/relayed")))).Payload.ToArray());
            Assert.True(toServer.Lost > 0 && toServer.Doubled > 0 && toClients.Lost > 0 && toClients.Doubled > 0);
        }
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(PeerProcess.TransferHangLimit);

    private static Task Within(Task task) => task.WaitAsync(PeerProcess.TransferHangLimit);
}
