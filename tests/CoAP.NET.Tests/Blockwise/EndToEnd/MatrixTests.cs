using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Blockwise.EndToEnd;

/// <summary>
/// Bodies of all sizes, both ways, in blocks of all sizes, by all methods, between a client and a server of this library.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class MatrixTests
{
    [Theory]
    [InlineData(CoapMethod.Put, "whole")]
    [InlineData(CoapMethod.Post, "whole")]
    [InlineData(CoapMethod.Post, "stream")]
    [InlineData(CoapMethod.Fetch, "whole")]
    [InlineData(CoapMethod.Patch, "whole")]
    [InlineData(CoapMethod.IPatch, "whole")]
    [Rfc("7959-2.4-7", "7959-2.7-1", "8132-2.2-1")]
    public async Task A_body_and_its_response_arrive_unchanged_and_the_handler_runs_once(CoapMethod method, string path)
    {
        await using TransferNetwork network = new();
        network.Server.Map("/whole", [CoapMethod.Put, CoapMethod.Post, CoapMethod.Fetch, CoapMethod.Patch, CoapMethod.IPatch],
            network.Take);
        network.Server.MapPost("/stream", network.TakeStreamAsync).WithStreamedBody();
        await network.StartAsync();
        CoapClient client = network.Client();
        int number = 0;
        for (int exponent = 0; exponent <= 6; exponent += 2)
        {
            int size = 16 << exponent;
            foreach (int length in new[] { 0, 1, size - 1, size, size + 1, 2 * size, 5 * size, (7 * size) + 3 })
            {
                byte[] body = TransferNetwork.Body(length, ++number);
                CoapRequest request = new(method, TransferNetwork.Uri + path) { Content = CoapContent.Binary(body), BlockSize = size };
                int before = network.RunsOf(body);
                CoapResponse response = await TransferNetwork.Within(client.SendAsync(request));
                Assert.True(response.IsSuccess, $"{response} {size} {length}");
                Assert.Equal(TransferNetwork.AnswerTo(body), response.Payload.ToArray());
                Assert.Equal(before + 1, network.RunsOf(body));
            }
        }

        Assert.Equal(number, network.Runs.Values.Sum());
        await network.AssertAllIsFreeAsync();
    }

    [Fact]
    [Rfc("7959-2.4-7")]
    public async Task A_representation_arrives_unchanged()
    {
        await using TransferNetwork network = new();
        network.Server.MapGet("/bytes/{length}", request => CoapResults.Bytes(TransferNetwork.Body(int.Parse(request.Route["length"]!))));
        network.Server.MapGet("/stream/{length}", request => CoapResults.Stream(
            new PatternStream(int.Parse(request.Route["length"]!)) { MaxRead = 100 }, CoapETag.FromContent("1"u8)));
        network.Server.MapDelete("/bytes/{length}",
            request => new CoapResult(CoapCode.Deleted, TransferNetwork.Body(int.Parse(request.Route["length"]!))));
        await network.StartAsync();
        CoapClient client = network.Client();
        for (int exponent = 0; exponent <= 6; exponent += 2)
        {
            int size = 16 << exponent;
            foreach (int length in new[] { 0, 1, size - 1, size, size + 1, 2 * size, 6 * size, (6 * size) + 1 })
            {
                CoapResponse bytes = await TransferNetwork.Within(
                    client.SendAsync(new CoapRequest(CoapMethod.Get, $"{TransferNetwork.Uri}bytes/{length}") { BlockSize = size }));
                Assert.Equal(TransferNetwork.Body(length), bytes.Payload.ToArray());
                MemoryStream destination = new();
                CoapRequest request = new(CoapMethod.Get, $"{TransferNetwork.Uri}stream/{length}")
                {
                    BlockSize = size,
                    Destination = destination
                };
                Assert.True((await TransferNetwork.Within(client.SendAsync(request))).IsSuccess);
                Assert.Equal(PatternStream.Bytes(0, length), destination.ToArray());
                CoapResponse deleted = await TransferNetwork.Within(
                    client.SendAsync(new CoapRequest(CoapMethod.Delete, $"{TransferNetwork.Uri}bytes/{length}") { BlockSize = size }));
                Assert.Equal((CoapCode.Deleted, length), (deleted.Code, deleted.Payload.Length));
            }
        }

        await network.AssertAllIsFreeAsync();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(4)]
    [Rfc("7959-2.5-4", "9175-3.3-1")]
    public async Task Many_transfers_of_one_client_and_of_many_to_one_resource_do_not_mix(int shards)
    {
        await using TransferNetwork network = new(options: options => options.Transports.Shards = shards);
        network.Server.MapPost("/whole", network.Take);
        network.Server.MapPost("/stream", network.TakeStreamAsync).WithStreamedBody();
        network.Server.MapFetch("/whole", network.Take);
        await network.StartAsync();
        List<Task> tasks = [];
        for (int i = 0; i < 8; i++)
        {
            CoapClient client = network.Client($"192.0.2.{10 + i}:40000",
                options => options.Parameters = new CoapTransmissionParameters { NStart = 1 + (i % 4) });
            for (int k = 0; k < 6; k++)
            {
                // Small ones with large answers too: their later blocks are asked for without the body.
                byte[] body = TransferNetwork.Body(k % 2 == 0 ? 100 : 1200 + (i * 100) + k, (i * 10) + k);
                CoapRequest request = new(k < 4 ? CoapMethod.Post : CoapMethod.Fetch, TransferNetwork.Uri + (k == 3 ? "stream" : "whole"))
                {
                    Content = CoapContent.Binary(body),
                    BlockSize = 64
                };
                tasks.Add(ExpectAsync(client, request, body));
            }
        }

        await Task.WhenAll(tasks).WaitAsync(FromMinutes(2));
        Assert.Equal(48, network.Runs.Count);
        Assert.All(network.Runs.Values, static runs => Assert.Equal(1, runs));
        await network.AssertAllIsFreeAsync();
    }

    private static async Task ExpectAsync(CoapClient client, CoapRequest request, byte[] body)
    {
        CoapResponse response = await client.SendAsync(request).ConfigureAwait(false);
        Assert.True(response.IsSuccess, response.ToString());
        Assert.Equal(TransferNetwork.AnswerTo(body), response.Payload.ToArray());
    }
}
