using CoAP.NET.Tests.Blockwise;

namespace CoAP.NET.Tests.Plugtest;

/// <summary>TD_COAP_BLOCK of the ETSI plugtests, our side as the client: every byte of every message.</summary>
[Collection(VirtualTimeCollection.Name)]
public sealed class ClientBlockTests : PlugtestClient
{
    private static readonly string s_text = string.Concat(Enumerable.Range(0, 10).Select(static i => $"line {i:d2} -------\n"));

    [Theory]
    [InlineData(64)]
    [InlineData(32)]
    [Rfc("7959-2.4-2")]
    public async Task BLOCK_01_the_client_proposes_a_block_size_and_adopts_a_smaller_one_of_the_server(int actual)
    {
        Task<CoapResponse> task = SendAsync(CoapMethod.Get, "/large", blockSize: 64);
        await ExpectAsync("01", "b5 'large' c1 02");
        await ServeAsync("01", "b5 'large'", 0xc, "45 c0", actual);
        await EndAsync(task, CoapCode.Content);
    }

    [Fact]
    [Rfc("7959-2.4-2")]
    public async Task BLOCK_02_the_client_adopts_the_block_size_that_the_server_chooses()
    {
        Task<CoapResponse> task = SendAsync(CoapMethod.Get, "/large");
        await ExpectAsync("01", "b5 'large'");
        await ServeAsync("01", "b5 'large'", 0xc, "45 c0", 64);
        await EndAsync(task, CoapCode.Content);
    }

    [Fact]
    [Rfc("7959-2.5-2", "7959-4-2")]
    public async Task BLOCK_03_the_client_sends_a_PUT_body_in_blocks()
    {
        Task<CoapResponse> task = SendAsync(CoapMethod.Put, "/large-update", s_text, 64);
        await ExpectAsync("03", $"bc 'large-update' 10 d102 0a d114 a0 ff {Hex(0, 64)}");
        Server.Send("64 5f <mid> <token> d10e 0a");
        await ExpectAsync("03", $"bc 'large-update' 10 d102 1a ff {Hex(64, 64)}");
        Server.Send("64 5f <mid> <token> d10e 1a");
        await ExpectAsync("03", $"bc 'large-update' 10 d102 22 ff {Hex(128, 32)}");
        Server.Send("64 44 <mid> <token> d10e 22");
        await Within(task).Gives(CoapCode.Changed);
        Server.ExpectNothing();
    }

    [Fact]
    [Rfc("7959-2.3-3")]
    public async Task BLOCK_03_the_client_continues_a_PUT_in_the_smaller_blocks_that_the_server_requests()
    {
        Task<CoapResponse> task = SendAsync(CoapMethod.Put, "/large-update", s_text, 64);
        await ExpectAsync("03", $"bc 'large-update' 10 d102 0a d114 a0 ff {Hex(0, 64)}");

        // The place is kept: after block 0 of 64 bytes comes block 4 of 16.
        Server.Send("64 5f <mid> <token> d10e 08");
        for (int number = 4; number < 10; number++)
        {
            BlockValue block = BlockValue.FromSize(number, number < 9, 16);
            await ExpectAsync("03", $"bc 'large-update' 10 d102 {block.Hex()} ff {Hex(number * 16, 16)}");
            Server.Send($"64 {(number < 9 ? "5f" : "44")} <mid> <token> d10e {block.Hex()}");
        }

        await Within(task).Gives(CoapCode.Changed);
        Server.ExpectNothing();
    }

    [Fact]
    [Rfc("7959-2.5-2")]
    public async Task BLOCK_04_the_client_sends_a_POST_body_in_blocks_and_gets_the_created_resource()
    {
        Task<CoapResponse> task = SendAsync(CoapMethod.Post, "/large-create", s_text, 128);
        await ExpectAsync("02", $"bc 'large-create' 10 d102 0b d114 a0 ff {Hex(0, 128)}");
        Server.Send("64 5f <mid> <token> d10e 0b");

        // With the last block comes what blocks the answer shall have.
        await ExpectAsync("02", $"bc 'large-create' 10 b1 03 41 13 ff {Hex(128, 32)}");
        Server.Send("64 41 <mid> <token> 8c 'large-create' 01 '1' d106 13");
        CoapResponse created = await Within(task);
        created.Gives(CoapCode.Created);
        Assert.Equal(["large-create", "1"], created.Options.OfType<LocationPathOption>().Select(option => option.Value));

        Task<CoapResponse> get = SendAsync(CoapMethod.Get, "/large-create/1");
        await ExpectAsync("01", "bc 'large-create' 01 '1'");
        await ServeAsync("01", "bc 'large-create' 01 '1'", 0xc, "45 c0", 64);
        await EndAsync(get, CoapCode.Content);
    }

    [Fact]
    [Rfc("7959-2.7-1", "7959-2.4-9")]
    public async Task BLOCK_05_the_client_sends_a_POST_body_and_gets_the_response_in_blocks()
    {
        Task<CoapResponse> task = SendAsync(CoapMethod.Post, "/large-post", s_text, 128);
        await ExpectAsync("02", $"ba 'large-post' 10 d102 0b d114 a0 ff {Hex(0, 128)}");
        Server.Send("64 5f <mid> <token> d10e 0b");
        await ExpectAsync("02", $"ba 'large-post' 10 b1 03 41 13 ff {Hex(128, 32)}");

        // Block2 and Block1; then the client repeats the request without Block1 and without a payload.
        Server.Send($"64 44 <mid> <token> c0 b1 0a 41 13 ff {Hex(0, 64)}");
        await ExpectAsync("02", "ba 'large-post' 10 b1 12");
        Server.Send($"64 44 <mid> <token> c0 b1 1a ff {Hex(64, 64)}");
        await ExpectAsync("02", "ba 'large-post' 10 b1 22");
        Server.Send($"64 44 <mid> <token> c0 b1 22 ff {Hex(128, 32)}");
        await EndAsync(task, CoapCode.Changed);
    }

    [Fact]
    [Rfc("7959-2.2-3")]
    public async Task BLOCK_06_the_client_gets_a_representation_in_blocks_of_16_bytes()
    {
        // 0/0/16 is an option without a value.
        Task<CoapResponse> task = SendAsync(CoapMethod.Get, "/large", blockSize: 16);
        await ExpectAsync("01", "b5 'large' c0");
        await ServeAsync("01", "b5 'large'", 0xc, "45 c0", 16);
        await EndAsync(task, CoapCode.Content);
    }

    private static string Hex(int offset, int length) =>
        Wire.Hex(Encoding.UTF8.GetBytes(s_text, offset, Math.Min(length, s_text.Length - offset)));

    private Task<CoapResponse> SendAsync(CoapMethod method, string path, string? content = null, int? blockSize = null)
    {
        CoapRequest request = Request(method, path, content);
        request.BlockSize = blockSize;
        return Client.SendAsync(request);
    }

    // Between two messages the client goes on on a thread.
    private async Task ExpectAsync(string code, string rest)
    {
        await Clock.AdvanceUntilAsync(() => Server.Pending > 0, FromSeconds(1));
        Server.Expect($"44 {code} <mid:2> <token:tkl> {rest}");
    }

    // Answers the request that came last by the first block, and those that follow by the further ones.
    private async Task ServeAsync(string code, string request, int delta, string response, int size)
    {
        for (int number = 0; number * size < s_text.Length; number++)
        {
            if (number > 0)
            {
                await ExpectAsync(code, $"{request} {delta:x}1 {BlockValue.FromSize(number, false, size).Hex()}");
            }

            string block = BlockValue.FromSize(number, (number + 1) * size < s_text.Length, size).Hex();
            Server.Send($"64 {response[..2]} <mid> <token> {response[2..]} b1 {block} ff {Hex(number * size, size)}");
        }
    }

    private async Task EndAsync(Task<CoapResponse> task, CoapCode code)
    {
        CoapResponse response = await Within(task);
        Assert.Equal((code, CoapContentFormat.TextPlain, s_text), (response.Code, response.ContentFormat, response.GetText()));
        Server.ExpectNothing();
    }
}
