using System.Net.Sockets;
using CoAP.NET.Load.Workers;

namespace CoAP.NET.Load.Tests;

/// <summary>One end of a conversation that a test holds by hand, in raw lines.</summary>
internal sealed class Lines : IDisposable
{
    public const string Hello = """{"type":"hello","version":1}""";
    public const string Welcome = """{"type":"welcome","version":1,"machine":"m"}""";
    public const string Ready = """{"type":"ready"}""";
    public const string Start = """{"type":"start"}""";
    public const string Cancel = """{"type":"cancel"}""";

    private readonly TcpClient _client;
    private readonly StreamReader _reader;

    public Lines(TcpClient client)
    {
        // Small lines that wait for an acknowledgement arrive late, and virtual time would not wait for them.
        client.NoDelay = true;
        _client = client;
        _reader = new StreamReader(client.GetStream(), new UTF8Encoding(false));
    }

    public static string Plan { get; } = JsonSerializer.Serialize(new PlanMessage(Plans.Closed), WorkerMessageJson.Default.WorkerMessage);

    public static string Tick(double perSecond) =>
        JsonSerializer.Serialize(
            new ProgressMessage(Ticks.Measuring with { PerSecond = perSecond }), WorkerMessageJson.Default.WorkerMessage);

    public static string Result(long count) =>
        JsonSerializer.Serialize(new ResultMessage(Results.Of(Plans.Closed, count)), WorkerMessageJson.Default.WorkerMessage);

    public static async Task<Lines> ToAsync(DnsEndPoint address)
    {
        TcpClient client = new();
        await client.ConnectAsync(address.Host, address.Port).Guarded();
        return new Lines(client);
    }

    public async Task SendAsync(params string[] lines)
    {
        foreach (string line in lines)
        {
            await _client.GetStream().WriteAsync(Encoding.UTF8.GetBytes(line + "\n")).AsTask().Guarded();
        }
    }

    /// <summary>The next line; null at the end.</summary>
    public Task<string?> ReadAsync() => _reader.ReadLineAsync().Guarded();

    /// <summary>The next line, which must be of a type.</summary>
    public async Task<JsonElement> ReadAsync(string type)
    {
        string line = await ReadAsync() ?? throw new InvalidOperationException($"The end came instead of {type}.");
        JsonElement json = JsonDocument.Parse(line).RootElement;
        Assert.Equal(type, json.TextOf("type"));
        return json;
    }

    public void Dispose()
    {
        _reader.Dispose();
        _client.Dispose();
    }
}

/// <summary>A place for one worker that a test plays by hand.</summary>
internal sealed class HandWorker : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    public HandWorker() => _listener.Start();

    public DnsEndPoint Address => new("127.0.0.1", ((IPEndPoint)_listener.LocalEndpoint).Port);

    public string Name => WorkerAddress.Format(Address);

    /// <summary>Waits for the coordinator.</summary>
    public async Task<Lines> AcceptAsync() => new(await _listener.AcceptTcpClientAsync().Guarded());

    /// <summary>Plays a good worker until the start.</summary>
    public async Task<Lines> AcceptUntilStartAsync()
    {
        Lines lines = await AcceptAsync();
        await lines.ReadAsync("hello");
        await lines.SendAsync(Lines.Welcome);
        await lines.ReadAsync("plan");
        await lines.SendAsync(Lines.Ready);
        await lines.ReadAsync("start");
        return lines;
    }

    public void Dispose() => _listener.Dispose();
}
