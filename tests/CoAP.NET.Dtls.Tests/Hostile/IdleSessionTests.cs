namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Sessions that wait.</summary>
[Collection(MeasuredAlone.Name)]
public sealed class IdleSessionTests(ITestOutputHelper output)
{
    // Session, channel, and their places in tables; far less than the 35 KB and more that OpenSSL would take.
    private const long MaxBytes = 2_048;
    private const int Before = 50;

    [Fact]
    public async Task An_idle_session_uses_little_memory_and_no_thread() =>
        Assert.InRange(await LiveHeap.MiddleOfThreeAsync(MeasureAsync), 1, MaxBytes);

    private async Task<long> MeasureAsync()
    {
        int sessions = Campaign.Sessions / 3;
        await using SecureEndpoints secure = await new SecureEndpoints(endpoint: options =>
        {
            options.Limits.Connections.MaxCountPerSource = options.Limits.Connections.MaxCount;
            options.Limits.Peers.MaxCount = Math.Max(options.Limits.Peers.MaxCount, 2 * Campaign.Sessions);
        }).StartAsync();
        await OpenAsync(secure, 0, Before);
        (long before, long native, int threads) = Measure();
        await OpenAsync(secure, Before, sessions);
        (long after, long nativeAfter, int threadsAfter) = Measure();
        long each = (after - before) / sessions;
        Assert.Equal(sessions + Before, secure.Transport.Engine!.Server!.SessionCount);
        output.WriteLine(
            $"{sessions:N0} idle sessions: {each} bytes managed, {(nativeAfter - native) / sessions:N0} bytes of private memory each; "
                + $"{threads} threads before, {threadsAfter} after");
        Assert.InRange(threadsAfter - threads, int.MinValue, sessions / 10);
        return each;
    }

    // Each has an address of its own: two that have the same one after another would be one that came back.
    private static async Task OpenAsync(SecureEndpoints secure, int first, int count)
    {
        for (int i = first; i < first + count; i++)
        {
            IPEndPoint source = new(new IPAddress([127, (byte)(2 + (i >> 16)), (byte)(i >> 8), (byte)i]), 0);
            ScriptedDevice device = await ScriptedDevice.ConnectAsync(secure.Endpoint, source: source);
            device.Vanish();
        }
    }

    private static (long Bytes, long Native, int Threads) Measure()
    {
        using Process process = Process.GetCurrentProcess();
        return (Heap.LiveBytes(), process.PrivateMemorySize64, process.Threads.Count);
    }
}
