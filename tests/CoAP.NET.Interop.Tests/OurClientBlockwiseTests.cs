namespace CoAP.NET.Interop.Tests;

/// <summary>
/// CoapClient transfers bodies in blocks to and from libcoap's server, which answers a PUT by what was put (<c>-e</c>): both directions in
/// one request.
/// </summary>
[External(LibcoapServer.Program)]
public sealed class OurClientBlockwiseTests(LibcoapServerFixture server) : IClassFixture<LibcoapServerFixture>
{
    public static TheoryData<int> Sizes => Bodies.BlockSizes;

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task A_body_is_transferred_in_blocks_of_the_size_in_the_peer_parameters(int size)
    {
        await using CoapClient client =
            new(new CoapEndpointOptions { Parameters = new CoapTransmissionParameters { PreferredBlockSize = size } });
        byte[] body = Bodies.Make(Bodies.Large, size);
        string uri = server.Uri($"/parameters-{size}");
        CoapResponse put = await Within(client.PutAsync(uri, CoapContent.Binary(body)));
        Assert.Equal(CoapCode.Created, put.Code);
        Assert.Equal(body, put.Payload.ToArray());
        CoapResponse got = await Within(client.GetAsync(uri));
        Assert.Equal((CoapCode.Content, CoapContentFormat.OctetStream), (got.Code, got.ContentFormat));
        Assert.Equal(body, got.Payload.ToArray());
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task A_body_is_transferred_in_blocks_of_the_size_in_the_request(int size)
    {
        await using CoapClient client = new();
        byte[] body = Bodies.Make(Bodies.Large, -size);
        string uri = server.Uri($"/request-{size}");
        CoapRequest put = new(CoapMethod.Put, uri) { BlockSize = size, Content = CoapContent.Binary(body) };
        Assert.Equal(body, (await Within(client.SendAsync(put))).Payload.ToArray());
        BlockCounter counter = new();
        CoapRequest get = new(CoapMethod.Get, uri) { BlockSize = size, Progress = counter };
        Assert.Equal(body, (await Within(client.SendAsync(get))).Payload.ToArray());
        Assert.Equal((Bodies.Large / size) - 1, counter.Last);
    }

    [Fact]
    public async Task A_client_gets_a_single_block()
    {
        await using CoapClient client = new();
        byte[] body = Bodies.Make(2000, 3);
        string uri = server.Uri("/one-block");
        await Within(client.PutAsync(uri, CoapContent.Binary(body)));
        CoapResponse block = await Within(client.GetBlockAsync(uri, 3, 64));
        Assert.Equal(body[192..256], block.Payload.ToArray());
        Assert.True(block.Options.Block2 is { Number: 3, More: true, Size: 64 });
    }

    [Fact]
    public async Task Bodies_of_many_concurrent_transfers_are_not_mixed()
    {
        await using CoapClient client = new();
        await Within(Task.WhenAll(Enumerable.Range(0, 10).Select(async i =>
        {
            byte[] body = Bodies.Make(10_000 + i, i);
            string uri = server.Uri($"/many-{i}");
            Assert.Equal(body, (await client.PutAsync(uri, CoapContent.Binary(body))).Payload.ToArray());
            Assert.Equal(body, (await client.GetAsync(uri)).Payload.ToArray());
        })));
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(PeerProcess.TransferHangLimit);

    private static Task Within(Task task) => task.WaitAsync(PeerProcess.TransferHangLimit);

    // Not Progress<T>, which reports later, on another thread.
    private sealed class BlockCounter : IProgress<CoapProgress>
    {
        public int Last { get; private set; }

        public void Report(CoapProgress value) => Last = value.BlockNumber;
    }
}
