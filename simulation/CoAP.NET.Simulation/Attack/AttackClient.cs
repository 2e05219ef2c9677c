namespace CoAP.NET.Simulation.Attack;

/// <summary>A client on virtual time whose server and attackers are the campaign.</summary>
internal sealed class AttackClient : IAsyncDisposable
{
    public const string Uri = "coap://192.0.2.1/x";

    public static readonly CoapAddress Server = CoapAddress.FromIPv4(0xc000_0201, 5683);

    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);

    private readonly ConcurrentQueue<(CoapAddress To, byte[] Bytes)> _sent = new();

    public AttackClient(Action<CoapEndpointOptions>? configure = null)
    {
        CoapEndpointOptions options = new() { TimeProvider = Clock };
        configure?.Invoke(options);
        Client = new CoapClient(options);
        Wire.Sent = (in to, bytes) => _sent.Enqueue((to, bytes.ToArray()));
        Client.Endpoint.AddTransport(Wire);
    }

    public VirtualClock Clock { get; } = new();

    public AttackWire Wire { get; } = new(CoapAddress.FromIPv4(0xc000_0202, 40_000));

    public CoapClient Client { get; }

    public CoapCounters Counters => Client.Endpoint.Counters;

    /// <summary>What it sent next, which is awaited if another thread sends it.</summary>
    public async Task<byte[]> TakeAsync()
    {
        using CancellationTokenSource hang = new(s_hang);
        (CoapAddress To, byte[] Bytes) sent;
        while (!_sent.TryDequeue(out sent))
        {
            hang.Token.ThrowIfCancellationRequested();
            await Task.Yield();
        }

        return sent.Bytes;
    }

    /// <summary>Forgets what it sent.</summary>
    public void Clear() => _sent.Clear();

    /// <summary>Answers a request in its acknowledgement.</summary>
    public void Answer(byte[] request, CoapCode code, string payload, Action<CoapOptionCollection>? options = null,
        CoapAddress from = default, byte[]? body = null) =>
            Wire.Receive(from == default ? Server : from,
                Forged.Response(request, CoapMessageType.Acknowledgement, code, payload, options, body));

    /// <summary>Answers what it sends until a request of it has ended.</summary>
    public async Task<T> ServeAsync<T>(Task<T> request, Action<byte[]> serve)
    {
        using CancellationTokenSource hang = new(s_hang);
        while (!request.IsCompleted)
        {
            hang.Token.ThrowIfCancellationRequested();
            if (_sent.TryDequeue(out (CoapAddress To, byte[] Bytes) sent))
            {
                serve(sent.Bytes);
            }
            else
            {
                await Task.Yield();
            }
        }

        return await request;
    }

    /// <summary>The result of what has ended, or is about to on another thread.</summary>
    public static Task<T> Within<T>(Task<T> task) => task.WaitAsync(s_hang);

    /// <summary>Whether a request fails, with which exception.</summary>
    public static async Task<Exception?> FailureOfAsync(Task<CoapResponse> task)
    {
        try
        {
            await Within(task);
            return null;
        }
        catch (CoapException exception)
        {
            return exception;
        }
    }

    public ValueTask DisposeAsync() => Client.DisposeAsync();
}
