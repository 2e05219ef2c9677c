using Server;

namespace CoAP.NET.Interop.Tests;

/// <summary>node-coap transfers bodies in blocks in both roles.</summary>
[External(NodePeers.Program)]
public sealed class NodeBlockwiseTests(SampleServerFixture ours, NodeServerFixture node)
    : IClassFixture<SampleServerFixture>, IClassFixture<NodeServerFixture>
{
    public static TheoryData<int> Sizes => Bodies.BlockSizes;

    public static TheoryData<int> SizesOverSixteen => [32, 64, 128, 256, 512, 1024];

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(6)]
    public async Task The_node_coap_command_line_gets_a_body_blockwise(int exponent)
    {
        PeerResult result = await NodePeers.RunClientAsync("get", "-q", "-b", $"{exponent}", $"{ours.Host}/large");
        Assert.Equal(LargeText.Make(2000).TrimEnd('\n'), result.Output.TrimEnd('\n'));
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task The_node_coap_client_puts_and_gets_a_body_blockwise(int size)
    {
        string exponent = $"{int.Log2(size) - 4}";
        byte[] body = Bodies.Make(Bodies.Large, size);
        Assert.Contains((await NodePeers.TransferAsync(body, "PUT", $"{ours.Host}/large-update", "--block1", exponent)).Result.Output,
            new[] { "2.01", "2.04" });
        (byte[] got, PeerResult result) = await NodePeers.TransferAsync(null, "GET", $"{ours.Host}/large-update", "--block2", exponent);
        Assert.Equal("2.05", result.Output);
        Assert.Equal(body, got);
    }

    [Fact]
    public async Task The_node_coap_client_gets_a_large_response_to_a_large_request()
    {
        (byte[] answer, PeerResult result) = await NodePeers.TransferAsync(Bodies.Make(5000, 5), "POST", $"{ours.Host}/large-post",
            "--block1", "4");
        Assert.Equal("2.04", result.Output);
        Assert.Equal($"5000 bytes came.\n{LargeText.Make(2000)}", Encoding.UTF8.GetString(answer));
    }

    // It reads a Block2 of no bytes, which is block 0 of 16 bytes (RFC 7959 section 2.2), as one of size 0.
    [Theory]
    [MemberData(nameof(SizesOverSixteen))]
    public async Task Our_client_gets_a_body_blockwise_from_node_coap(int size)
    {
        await using CoapClient client = new();
        Assert.Equal(NodePeers.Large,
            (await Within(client.SendAsync(new CoapRequest(CoapMethod.Get, $"{node.Host}/large") { BlockSize = size }))).Payload.ToArray());
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public async Task Our_client_puts_a_body_blockwise_to_node_coap(int size)
    {
        await using CoapClient client = new();
        byte[] body = Bodies.Make(Bodies.Large, -size);
        CoapRequest put = new(CoapMethod.Put, $"{node.Host}/put-{size}") { BlockSize = size, Content = CoapContent.Binary(body) };
        Assert.Equal(CoapCode.Created, (await Within(client.SendAsync(put))).Code);

        // Another client, since this one remembers what size the server took.
        await using CoapClient other = new();
        Assert.Equal(body, (await Within(other.GetAsync($"{node.Host}/put-{size}"))).Payload.ToArray());
    }

    private static Task<T> Within<T>(Task<T> task) => task.WaitAsync(PeerProcess.TransferHangLimit);
}
