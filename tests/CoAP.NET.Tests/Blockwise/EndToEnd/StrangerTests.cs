using CoAP.NET.Testing;
using CoAP.NET.Tests.Testing;

namespace CoAP.NET.Tests.Blockwise.EndToEnd;

/// <summary>
/// Clients of this library at addresses that a server never verified, when it sends no large responses to such addresses; and servers that
/// require an Echo during a transfer.
/// </summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class StrangerTests
{
    [Theory]
    [Trait("Category", "Campaign")]
    [InlineData(CoapMethod.Get, 0, 1)]
    [InlineData(CoapMethod.Post, 100, 1)]
    [InlineData(CoapMethod.Post, 500, 1)]
    [InlineData(CoapMethod.Post, 5000, 1)]
    [InlineData(CoapMethod.Fetch, 100, 2)]
    [InlineData(CoapMethod.Fetch, 300, 2)]
    [InlineData(CoapMethod.Fetch, 5000, 2)]
    [Rfc("9175-2.4-1", "9175-2.3-2")]
    public async Task An_unverified_peer_gets_the_whole_response_and_an_unsafe_request_runs_once(CoapMethod method, int length, int maxRuns)
    {
        await using TransferNetwork network =
            new(isTrusting: false, options: options => options.Limits.Amplification.SourceBytesPerMinute = 0);
        network.Server.MapPost("/x", network.Take);
        network.Server.MapFetch("/x", network.Take);
        network.Server.MapGet("/x", () => CoapResults.Bytes(TransferNetwork.Body(5000)));
        await network.StartAsync();
        CoapClient client = network.Client();
        byte[] body = TransferNetwork.Body(length);
        for (int i = 0; i < 2; i++)
        {
            CoapRequest request = new(method, TransferNetwork.Uri + "x")
            {
                Content = method == CoapMethod.Get ? null : CoapContent.Binary(body),
                BlockSize = i == 0 ? 128 : null
            };
            CoapResponse response = await TransferNetwork.Within(client.SendAsync(request));
            Assert.Equal(method == CoapMethod.Get ? TransferNetwork.Body(5000) : TransferNetwork.AnswerTo(body),
                response.Payload.ToArray());
        }

        Assert.InRange(network.RunsOf(body), method == CoapMethod.Get ? 0 : 2, 2 * maxRuns);
        await network.AssertAllIsFreeAsync();
    }

    [Theory]
    [InlineData("whole")]
    [InlineData("stream")]
    [InlineData("own")]
    [Rfc("9175-2.3-1", "9175-2.3-2")]
    public async Task A_large_body_to_a_route_that_requires_freshness_runs_once_and_repeats_one_block(string path)
    {
        await using TransferNetwork network = new();
        network.Server.MapPut("/whole", network.Take).RequireFreshness(FromSeconds(30));
        network.Server.MapPut("/stream", network.TakeStreamAsync).WithStreamedBody().RequireFreshness(FromSeconds(30));
        network.Server.MapPut("/own",
            request => request.IsFresh(FromSeconds(30)) ? network.Take(request) : CoapResults.FreshnessRequired());
        await network.StartAsync();
        CoapClient client = network.Client();
        int count = 0;
        network.Network.Filter = packet =>
        {
            Interlocked.Add(ref count, packet.Code.IsRequest ? 1 : 0);
            return NetworkVerdict.Pass;
        };
        CoapResponse response = await TransferNetwork.Within(client.SendAsync(
            new CoapRequest(CoapMethod.Put, TransferNetwork.Uri + path)
            {
                Content = CoapContent.Stream(new PatternStream(5000, canSeek: false)),
                BlockSize = 512
            }));
        byte[] sent = PatternStream.Bytes(0, 5000);
        Assert.Equal(TransferNetwork.AnswerTo(sent), response.Payload.ToArray());
        Assert.Equal(1, network.RunsOf(sent));

        // Ten blocks, one of them again, and fourteen requests for the other blocks of the answer.
        Assert.Equal(10 + 1 + 14, count);
        await network.AssertAllIsFreeAsync();
    }

    [Theory]
    [InlineData(NoResponseClasses.All, true)]
    [InlineData(NoResponseClasses.All, false)]
    [InlineData(NoResponseClasses.Success, true)]
    [Rfc("7967-2.1-2")]
    public async Task A_large_body_with_No_Response_arrives(NoResponseClasses notWanted, bool isConfirmable)
    {
        await using TransferNetwork network = new(NetworkConditions.Delayed(FromMilliseconds(20)));
        network.Server.MapPost("/x", network.Take);
        await network.StartAsync();
        byte[] body = TransferNetwork.Body(3000);
        CoapRequest request = new(CoapMethod.Post, TransferNetwork.Uri + "x")
        {
            Content = CoapContent.Binary(body),
            Confirmable = isConfirmable,
            Timeout = FromMinutes(1)
        };
        Assert.True((await network.PassAsync(network.Client().SendAsync(request, notWanted))).IsNone);
        await network.Clock.AdvanceUntilAsync(() => network.RunsOf(body) == 1, FromMinutes(1));
        await network.AssertAllIsFreeAsync();
        Assert.Equal(1, network.RunsOf(body));
    }

    [Fact]
    [Rfc("8132-2.2-1")]
    public async Task A_FETCH_in_blocks_is_answered_from_a_stream()
    {
        await using TransferNetwork network = new();
        int runs = 0;
        network.Server.MapFetch("/x", _ => CoapResults.Stream(new PatternStream(7000), CoapETag.FromContent([(byte)++runs])));
        await network.StartAsync();
        CoapRequest request = new(CoapMethod.Fetch, TransferNetwork.Uri + "x") { Content = CoapContent.Binary(TransferNetwork.Body(3000)) };
        Assert.Equal(PatternStream.Bytes(0, 7000), (await TransferNetwork.Within(network.Client().SendAsync(request))).Payload.ToArray());
        Assert.Equal(1, runs);
        await network.AssertAllIsFreeAsync();
    }

    [Fact]
    [Rfc("8132-2.1-1")]
    public async Task Concurrent_small_FETCH_requests_from_streams_get_their_own_large_responses()
    {
        await using TransferNetwork network = new();
        network.Server.MapFetch("/x", network.Take);
        await network.StartAsync();
        CoapClient client = network.Client();
        byte[][] bodies = [.. Enumerable.Range(0, 4).Select(i => TransferNetwork.Body(120, i))];
        Task<CoapResponse>[] tasks = [.. bodies.Select(body => client.SendAsync(
            new CoapRequest(CoapMethod.Fetch, TransferNetwork.Uri + "x")
            {
                Content = CoapContent.Stream(new MemoryStream(body)),
                BlockSize = 128
            }))];
        for (int i = 0; i < bodies.Length; i++)
        {
            Assert.Equal(TransferNetwork.AnswerTo(bodies[i]), (await TransferNetwork.Within(tasks[i])).Payload.ToArray());
        }

        await network.AssertAllIsFreeAsync();
    }

    [Theory]
    [InlineData(1500)]
    [InlineData(4999)]
    public async Task A_download_is_continued_in_smaller_blocks_than_were_asked_for(int offset)
    {
        await using TransferNetwork network =
            new(options: options => options.Parameters = new CoapTransmissionParameters { PreferredBlockSize = 64 });
        byte[] body = TransferNetwork.Body(5000);
        network.Server.MapGet("/x", () => CoapResults.Bytes(body));
        await network.StartAsync();
        MemoryStream destination = new();
        destination.Write(body.AsSpan(0, offset));
        await TransferNetwork.Within(
            network.Client().SendAsync(new CoapRequest(CoapMethod.Get, TransferNetwork.Uri + "x")
            {
                Destination = destination, Download = new CoapDownloadOptions { Offset = offset },
            }));
        Assert.Equal(body, destination.ToArray());
        await network.AssertAllIsFreeAsync();
    }
}
