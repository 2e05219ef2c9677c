namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>
/// node-coap: its command line client, and a small server made with it. Both are found where <c>npm install --prefix artifacts/peers</c>
/// puts them. The client ends with status 0 whatever it got and writes the code to its standard error; the server accepts nearly anything,
/// so it is no oracle.
/// </summary>
internal static class NodePeers
{
    /// <summary>The client, which stands for both: they are installed together.</summary>
    public const string Program = "node_modules/.bin/coap";

    private static string Modules => Path.Combine(PeerProgram.LocalDirectory, "node_modules");

    /// <summary>Does one request and waits for the end.</summary>
    /// <param name="arguments">Method, options and URI.</param>
    public static async Task<PeerResult> RunClientAsync(params string[] arguments)
    {
        await using PeerProcess process = StartClient(arguments);
        return await process.WaitForExitAsync();
    }

    /// <summary>Starts the client, for observations that do not end.</summary>
    /// <param name="arguments">Method, options and URI.</param>
    public static PeerProcess StartClient(params string[] arguments) => PeerProcess.Start(PeerProgram.Find(Program) ?? Program, arguments);

    /// <summary>Does one request with a body of any bytes in both directions, by node-coap itself; coap-cli brings an older one.</summary>
    /// <param name="body">The body to send; null for none.</param>
    /// <param name="arguments">Method, URI and options of <c>client.js</c>.</param>
    /// <returns>The body of the response and what the program wrote: the code.</returns>
    public static Task<(byte[] Body, PeerResult Result)> TransferAsync(byte[]? body, params string[] arguments) =>
        TransferAsync(body, all => Script("client.js", all), arguments);

    /// <summary>What stands for node-coap-client, the client over DTLS.</summary>
    public const string DtlsProgram = "node_modules/node-coap-client/package.json";

    /// <summary>Does one request over DTLS with the key of <see cref="StreamServer"/>.</summary>
    /// <param name="body">The body to send; null for none.</param>
    /// <param name="arguments">Method, URI and options of <c>dtls-client.js</c>.</param>
    /// <returns>The body of the response and what the program wrote: the code.</returns>
    public static Task<(byte[] Body, PeerResult Result)> TransferOverDtlsAsync(byte[]? body, params string[] arguments) =>
        TransferAsync(body, all => StartDtlsClient([.. all]), arguments);

    /// <summary>Starts the client over DTLS with the key of <see cref="StreamServer"/>, for observations.</summary>
    /// <param name="arguments">Method, URI and options of <c>dtls-client.js</c>.</param>
    public static PeerProcess StartDtlsClient(params string[] arguments) => StartDtlsClientWithKey(StreamServer.Key, arguments);

    /// <summary>Starts the client over DTLS with a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="arguments">Method, URI and options of <c>dtls-client.js</c>.</param>
    public static PeerProcess StartDtlsClientWithKey(string key, params string[] arguments) =>
        Script("dtls-client.js", [arguments[0], arguments[1], StreamServer.Identity, key, .. arguments[2..]]);

    private static async Task<(byte[] Body, PeerResult Result)> TransferAsync(
        byte[]? body, Func<IEnumerable<string>, PeerProcess> start, string[] arguments)
    {
        using TemporaryDirectory directory = new();
        string output = directory.PathOf("response");
        List<string> all = [.. arguments, "--out", output];
        if (body is not null)
        {
            string input = directory.PathOf("request");
            await File.WriteAllBytesAsync(input, body);
            all.AddRange(["--in", input]);
        }

        await using PeerProcess process = start(all);
        PeerResult result = await process.WaitForExitAsync(PeerProcess.TransferHangLimit);
        return (File.Exists(output) ? await File.ReadAllBytesAsync(output) : [], result);
    }

    /// <summary>Observes a resource by node-coap itself until so many representations came, each of which it writes.</summary>
    public static PeerProcess Observe(string uri, int count) => Script("client.js", ["GET", uri, "--observe", $"{count}"]);

    /// <summary>
    /// Starts the server: <c>/hello</c>, <c>/large</c> (64 KiB), <c>/clock</c> (observable; GET <c>/tick</c> makes it tick), what is PUT
    /// can be got and deleted; other methods say what they are.
    /// </summary>
    public static Task<SampleServer> StartServerAsync() => SampleServer.StartAsync(Script("server.js", []));

    /// <summary>Starts node-coap's proxy.</summary>
    public static Task<SampleServer> StartProxyAsync() => SampleServer.StartAsync(Script("proxy.js", []));

    /// <summary>Observes a resource through a proxy by node-coap itself; see <see cref="Observe"/>.</summary>
    public static PeerProcess ObserveThrough(string proxy, string uri, int count) =>
        Script("client.js", ["GET", uri, "--proxy", proxy, "--observe", $"{count}"]);

    /// <summary>What stands for the package ws: CoAP over WebSockets by hand.</summary>
    public const string WebSocketProgram = "node_modules/ws/package.json";

    /// <summary>Opens a WebSocket and exchanges messages of hexadecimal digits.</summary>
    /// <param name="url">Where, such as <c>ws://127.0.0.1:80/.well-known/coap</c>.</param>
    /// <param name="count">After how many messages of the server it closes.</param>
    /// <param name="messages">What is sent; a vertical bar begins another fragment.</param>
    public static async Task<PeerResult> RunWebSocketClientAsync(string url, int count, params string[] messages)
    {
        await using PeerProcess process = Script("ws-client.js", [url, $"{count}", .. messages]);
        return await process.WaitForExitAsync();
    }

    /// <summary>Starts a server of CoAP over WebSockets; it writes <c>listening on</c> and its URI.</summary>
    public static PeerProcess StartWebSocketServer() => Script("ws-server.js", []);

    /// <summary>The bytes of the server's <c>/large</c>.</summary>
    public static byte[] Large { get; } = [.. Enumerable.Range(0, 65_536).Select(i => (byte)((i * 7) + (i >> 8)))];

    /// <summary>The bytes of the <c>/large</c> of the server of WebSockets.</summary>
    public static byte[] Large100 { get; } = [.. Enumerable.Range(0, 100_000).Select(i => (byte)((i * 7) + (i >> 8)))];

    private static PeerProcess Script(string name, IEnumerable<string> arguments) => PeerProcess.Start(
        "env", [$"NODE_PATH={Modules}", "node", Path.Combine(Repository.Root, "tests/CoAP.NET.Interop.Tests/Peers/Node", name),
            .. arguments]);
}
