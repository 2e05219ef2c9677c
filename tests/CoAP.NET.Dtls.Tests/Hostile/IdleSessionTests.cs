namespace CoAP.NET.Dtls.Tests.Hostile;

/// <summary>Sessions that wait.</summary>
[Collection(MeasuredAlone.Name)]
public sealed class IdleSessionTests(ITestOutputHelper output)
{
    // Session, channel, and their places in tables; far less than the 35 KB and more that OpenSSL would take.
    private const long MaxBytes = 2_048;
    private const int Before = 50;

    // What the process makes once meanwhile falls into one of the parts, and is no session's (256 KB were seen on a busy machine, with
    // sessions of 1,130 bytes): the part in the middle counts.
    private const int Parts = 3;

    private static int PerPart => Campaign.Sessions / Parts;

    [Fact]
    public async Task An_idle_session_uses_little_memory_and_no_thread() =>
        Assert.InRange(await LiveHeap.TakesAsync(MeasureAsync), 1, MaxBytes);

    private async Task<long> MeasureAsync()
    {
        await using SecureEndpoints secure = await new SecureEndpoints(endpoint: options =>
        {
            options.Limits.Connections.MaxCountPerSource = options.Limits.Connections.MaxCount;
            options.Limits.Peers.MaxCount = Math.Max(options.Limits.Peers.MaxCount, 2 * Campaign.Sessions);
        }).StartAsync();
        await OpenAsync(secure, 0, Before);
        (long start, long native, int threads) = Measure();
        long bytes = start;
        List<long> each = [];
        for (int part = 0; part < Parts; part++)
        {
            await OpenAsync(secure, Before + (part * PerPart), PerPart);
            long after = Measure().Bytes;
            each.Add((after - bytes) / PerPart);
            bytes = after;
        }

        (_, long nativeAfter, int threadsAfter) = Measure();
        int sessions = Parts * PerPart;
        Assert.Equal(sessions + Before, secure.Transport.Engine!.Server!.SessionCount);
        output.WriteLine(
            $"{sessions:N0} idle sessions: {string.Join(", ", each)} bytes managed, {(nativeAfter - native) / sessions:N0} bytes of "
                + "private "
                + $"memory each; {threads} threads before, {threadsAfter} after");
        Assert.InRange(threadsAfter - threads, int.MinValue, sessions / 10);
        return each.Order().ElementAt(Parts / 2);
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
