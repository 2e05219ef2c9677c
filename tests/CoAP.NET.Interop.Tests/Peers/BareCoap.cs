namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>The CoAP messages of ends that know DTLS alone.</summary>
internal static class BareCoap
{
    /// <summary>The payload of each response of such a server.</summary>
    public const string Hello = "hello from a server that knows DTLS alone";

    // Programs pass on octets, and the test waits for a line.
    private const string Line = "a line there and back";

    private static readonly CoapToken s_token = new([7]);

    /// <summary>The payload of requests that programs relay.</summary>
    public static CoapContent Body => CoapContent.Text(Line + "\n");

    public static byte[] Request(string path, CoapCode? code = null, byte[]? payload = null)
    {
        CoapMessage request = new(code ?? CoapCode.Get) { Type = CoapMessageType.Confirmable, MessageId = 0x1234, Token = s_token };
        request.Options.Add(new UriPathOption(path));
        request.Payload = payload ?? [];
        return CoapDatagramSerializer.Default.Serialize(request);
    }

    public static byte[] Response(ReadOnlySpan<byte> datagram)
    {
        CoapMessage request = CoapDatagramSerializer.Default.Deserialize(datagram);
        return CoapDatagramSerializer.Default.Serialize(new CoapMessage(CoapCode.Content)
        {
            Type = CoapMessageType.Acknowledgement,
            MessageId = request.MessageId,
            Token = request.Token,
            Payload = Encoding.UTF8.GetBytes(Hello),
        });
    }

    public static string Payload(ReadOnlySpan<byte> datagram) =>
        Encoding.UTF8.GetString(CoapDatagramSerializer.Default.Deserialize(datagram).Payload.Span);

    /// <summary>Types a request for <c>/echo</c> into a client that passes on octets, and checks the response that it writes.</summary>
    /// <param name="client">The client, which has begun a line of output or will.</param>
    public static async Task AskAsync(PeerProcess client)
    {
        await client.WriteAsync(Request("echo", CoapCode.Post, Encoding.ASCII.GetBytes(Line + "\n")));
        string written = await client.WaitForLineAsync(static line => line.EndsWith(Line, Ordinal));
        CoapMessage response = CoapDatagramSerializer.Default.Deserialize(Encoding.Latin1.GetBytes(written + "\n"));
        Assert.Equal(CoapMessageType.Acknowledgement, response.Type);
        Assert.Equal(0x1234, response.MessageId);
        Assert.Equal(s_token, response.Token);
        Assert.Equal(CoapCode.Content, response.Code);
        Assert.Equal(Line + "\n", Encoding.ASCII.GetString(response.Payload.Span));
    }

    /// <summary>Types the response to the request that a server has written.</summary>
    /// <param name="server">The server, which passes on octets.</param>
    /// <param name="before">How the last line that it writes before the request begins.</param>
    /// <param name="number">How many requests it has written then.</param>
    public static async Task AnswerAsync(PeerProcess server, string before, int number)
    {
        await server.WaitForLinesAsync(static line => line.EndsWith(Line, Ordinal), number);
        string output = server.Output;
        int end = output.LastIndexOf(Line, Ordinal) + Line.Length;
        int start = output.IndexOf('\n', output.LastIndexOf(before, end, Ordinal)) + 1;
        byte[] request = Encoding.Latin1.GetBytes(output[start..end] + "\n");
        Assert.Equal(Line + "\n", Payload(request));
        await server.WriteAsync(Response(request));
    }
}
