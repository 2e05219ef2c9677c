// Each of the five stages is replaced by blocks of our own, over UDP and over TCP, and the transport over a link to another process.
using System.Diagnostics;
using CoAP.NET;
using Stages;

if (args is ["serve"])
{
    await ServeLinkAsync();
    return;
}

await LinkAsync();
await DevicesAsync();
await SealedAsync();
await StoredAsync();
await RouterAsync();
Console.WriteLine("all five stages were replaced");

// Transport: another process serves over its standard input and output, beside a server that we reach by UDP.
static async Task LinkAsync()
{
    using Process process = Process.Start(new ProcessStartInfo(Environment.ProcessPath!, [.. ProgramOf(Environment.ProcessPath!), "serve"])
    {
        RedirectStandardInput = true,
        RedirectStandardOutput = true,
    })!;
    await using (CoapClient client = new())
    {
        client.Endpoint.AddTransport(
            LinkBlock.Make(process.StandardOutput.BaseStream, process.StandardInput.BaseStream, LinkBlock.Client));
        Console.WriteLine($"the other process says {(await client.GetAsync($"{LinkBlock.Scheme}://[fd00::1]/name")).GetText()}");
    }

    process.StandardInput.Close();
    await process.WaitForExitAsync();

    // Started by the dotnet command, the program is an argument.
    static string[] ProgramOf(string path) =>
        Path.GetFileNameWithoutExtension(path) == "dotnet" ? [typeof(LinkBlock).Assembly.Location] : [];
}

static async Task ServeLinkAsync()
{
    await using CoapServer server = new();
    CoapDataflowBlockTransport link = LinkBlock.Make(Console.OpenStandardInput(), Console.OpenStandardOutput(), LinkBlock.Server);
    server.Endpoint.AddTransport(link);
    server.MapGet("/name", () => "Ada");
    await server.StartAsync();
    await Task.WhenAny(server.Endpoint.Completion); // the end of the input
}

// Channel: a device stays the same peer when its address changes. A connection is a peer of its own.
static async Task DevicesAsync()
{
    CoapEndpointOptions options = new();
    options.Pipeline.Replace(CoapStages.Channel, DeviceChannel.Make);
    await using CoapServer server = Make(options);
    server.MapGet("/peer", request => CoapResults.Text($"{request.Peer!.RemoteEndPoint.Address}"));
    await server.StartAsync();
    foreach (CoapUri uri in server.LocalEndpoints.OrderBy(uri => uri.ToString()).SelectMany(uri => new[] { uri, uri }))
    {
        CoapEndpointOptions device = new();
        DeviceChannel.WriteNumber(device, number: 7);
        await using CoapClient client = new(device);
        Console.WriteLine($"over {uri.Scheme} the device is {(await client.GetAsync(uri.Resolve("/peer"))).GetText()}");
    }
}

// Serializer: what both ends say is sealed.
static async Task SealedAsync()
{
    byte[] key = Convert.FromHexString("8d3f51b2c07a46e99b1e20f4d5a6c733");
    await using CoapServer server = Make(WithKey(key));
    server.MapGet("/secret", () => "the sea is deep");
    await server.StartAsync();
    await using CoapClient client = new(WithKey(key));
    foreach (CoapUri uri in server.LocalEndpoints)
    {
        Console.WriteLine($"{uri} says {(await client.GetAsync(uri.Resolve("/secret"))).GetText()}");
    }

    // Whoever has another key is not even answered, as on datagrams nobody answers noise.
    await using CoapClient stranger = new(WithKey(new byte[16]));
    using CancellationTokenSource soon = new(TimeSpan.FromSeconds(1));
    try
    {
        await stranger.GetAsync(server.LocalEndpoints[0].Resolve("/secret"), cancellationToken: soon.Token);
    }
    catch (OperationCanceledException)
    {
        Console.WriteLine("the stranger heard nothing");
    }

    static CoapEndpointOptions WithKey(byte[] key)
    {
        CoapEndpointOptions options = new();
        options.Pipeline.Replace(CoapStages.Serializer, shard => SealedFormat.Make(shard, key));
        return options;
    }
}

// Handler: requests wait in the gateway until its line is up.
static async Task StoredAsync()
{
    StoreAndForward line = new();
    CoapEndpointOptions options = new();
    options.Pipeline.Replace(CoapStages.Handler, line.Make);
    await using CoapServer server = Make(options);
    server.MapPut("/valve", () => CoapResults.Changed());
    await server.StartAsync();
    await using CoapClient client = new();
    Task<CoapResponse>[] requests =
        [.. server.LocalEndpoints.Select(uri => client.PutAsync(uri.Resolve("/valve"), CoapContent.Text("open")))];
    await Task.Delay(TimeSpan.FromSeconds(1), TimeProvider.System);
    Console.WriteLine($"{requests.Count(request => request.IsCompleted)} of {requests.Length} are answered while the line is down");
    line.Up();
    await Task.WhenAll(requests);
    Console.WriteLine("all of them are answered when it is up");
}

// Resource: a router in place of routes.
static async Task RouterAsync()
{
    ValueRouter router = new();
    CoapEndpointOptions options = new();
    options.Pipeline.Replace(CoapStages.Resource, _ => router.Make());
    await using CoapServer server = Make(options);
    await server.StartAsync();
    await using CoapClient client = new();
    foreach (CoapUri uri in server.LocalEndpoints)
    {
        await client.PutAsync(uri.Resolve("/rooms/kitchen"), CoapContent.Text("21.5 C"));
        Console.WriteLine($"{uri} has {(await client.GetAsync(uri.Resolve("/rooms/kitchen"))).GetText()}");
        Console.WriteLine($"and of the attic it says {(await client.GetAsync(uri.Resolve("/rooms/attic"))).Code}");
    }
}

static CoapServer Make(CoapEndpointOptions options) => new CoapServer(options).Listen("coap://127.0.0.1:0")
    .Listen("coap+tcp://127.0.0.1:0");
