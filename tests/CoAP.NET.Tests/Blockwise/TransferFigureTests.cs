namespace CoAP.NET.Tests.Blockwise;

/// <summary>
/// The message flows of RFC 7959 section 3 and of the plugtests TD_COAP_BLOCK_01 to 06, as bytes of the Block options (number 23, 27).
/// </summary>
public sealed class TransferFigureTests : TransferTest
{
    [Theory]
    [InlineData("figure 2", 0, 300, "- 0b|13 1b|23 23")]
    [InlineData("figure 3, BLOCK_01", 64, 380, "02 0a|12 1a|22 2a|32 3a|42 4a|52 52")]
    [InlineData("BLOCK_02, figure 4 with the server choosing the smaller size", 0, 380, "- 0b|13 2a|32 3a|42 4a|52 52")]
    [InlineData("BLOCK_06", 16, 40, "= 08|10 18|20 20")]
    [Rfc("7959-2.4-8", "7959-2.2-3")]
    public async Task The_client_sends_the_Block2_options_of_the_download_figures_of_RFC_7959(
        string name, int size, int length, string flow)
    {
        Assert.NotEmpty(name);
        string[][] steps = Steps(flow);
        byte[] body = Bytes(length);
        int next = 0;
        Answer = _ =>
        {
            CoapMessage reply = new(CoapCode.Content);
            reply.Options.Add(OptionNumber.Block2, Value(steps[next++][1]));
            BlockValue block = reply.Options.Block2!.Value;
            reply.Payload = body.AsMemory((int)block.ByteOffset, Math.Min(block.Size, length - (int)block.ByteOffset));
            return reply;
        };

        CoapRequest request = new(CoapMethod.Get, Uri) { BlockSize = size == 0 ? null : size };
        Assert.Equal(body, (await Within(Client.SendAsync(request))).Payload.ToArray());
        Assert.Equal(steps.Select(step => step[0]), Requests.Select(sent => Text(sent, OptionNumber.Block2)));
    }

    [Theory]
    [InlineData("figure 7, BLOCK_03", CoapMethod.Put, 128, 300, "0b 95 0b|1b 95 1b|23 68 23")]
    [InlineData("figure 8", CoapMethod.Put, 128, 300, "0b 68 03|1b 68 13|23 68 23")]
    [InlineData("figure 9", CoapMethod.Put, 128, 200, "0b 95 09|49 95 49|59 95 59|61 68 61")]
    [InlineData("BLOCK_04", CoapMethod.Post, 64, 150, "0a 95 0a|1a 95 1a|22 65 22")]
    [Rfc("7959-2.3-3")]
    public async Task The_client_sends_the_Block1_options_of_the_upload_figures_of_RFC_7959(
        string name, CoapMethod method, int size, int length, string flow)
    {
        Assert.NotEmpty(name);
        string[][] steps = Steps(flow);
        int next = 0;
        Answer = _ =>
        {
            CoapMessage reply = new(new CoapCode(byte.Parse(steps[next][1])));
            reply.Options.Add(OptionNumber.Block1, Value(steps[next++][2]));
            return reply;
        };
        byte[] body = Bytes(length);
        CoapResponse response =
            await Within(Client.SendAsync(new CoapRequest(method, Uri) { Content = CoapContent.Binary(body), BlockSize = size }));
        Assert.True(response.IsSuccess);
        Assert.Equal(steps.Select(step => step[0]), Requests.Select(sent => Text(sent, OptionNumber.Block1)));
        Assert.Equal(body, Requests.SelectMany(sent => sent.Payload.ToArray()));
    }

    [Theory]
    [InlineData("figure 10, BLOCK_05", null, "0b - 95 0b -|1b - 95 1b -|23 - 68 23 0b|- 13 68 - 1b|- 23 68 - 2b|- 33 68 - 33", 128)]
    [InlineData("figure 11", 64, "0a - 95 0a -|1a - 95 1a -|2a - 95 2a -|3a - 95 3a -|42 02 68 42 0a|- 12 68 - 1a|- 22 68 - 22", 64)]
    [Rfc("7959-2.7-1")]
    public async Task The_client_sends_the_block_options_of_the_POST_figures_of_RFC_7959(string name, int? size, string flow, int block)
    {
        Assert.NotEmpty(name);
        Options.Parameters = new CoapTransmissionParameters { MaxMessageSize = block == 128 ? 200 : 1152 };
        string[][] steps = Steps(flow);
        byte[] answer = Bytes(block == 128 ? 500 : 170, 9);
        int next = 0;
        Answer = _ =>
        {
            string[] step = steps[next++];
            CoapMessage reply = new(new CoapCode(byte.Parse(step[2])));
            if (step[3] != "-")
            {
                reply.Options.Add(OptionNumber.Block1, Value(step[3]));
            }

            if (step[4] != "-")
            {
                reply.Options.Add(OptionNumber.Block2, Value(step[4]));
                BlockValue part = reply.Options.Block2!.Value;
                reply.Payload = answer.AsMemory((int)part.ByteOffset, Math.Min(part.Size, answer.Length - (int)part.ByteOffset));
            }

            return reply;
        };
        CoapRequest request = new(CoapMethod.Post, Uri) { Content = CoapContent.Binary(Bytes(300)), BlockSize = size };
        Assert.Equal(answer, (await Within(Client.SendAsync(request))).Payload.ToArray());
        Assert.Equal(steps.Select(step => step[0]), Requests.Select(sent => Text(sent, OptionNumber.Block1)));
        Assert.Equal(steps.Select(step => step[1]), Requests.Select(sent => Text(sent, OptionNumber.Block2)));
        Assert.Equal(steps.Select(step => step[0] != "-"), Requests.Select(sent => !sent.Payload.IsEmpty));
    }

    private static string[][] Steps(string flow) => [.. flow.Split('|').Select(step => step.Split(' '))];

    private static byte[] Value(string text) => text == "=" ? [] : Wire.Hex(text);

    private static string Text(CoapMessage message, int number) =>
        message.Options.TryGetValue(number, out ReadOnlySpan<byte> value) ? value.IsEmpty ? "=" : Wire.Hex(value) : "-";
}
