using System.Buffers.Binary;
using CoAP.NET.Speed.Floor;

namespace CoAP.NET.Speed.Servers;

/// <summary>
/// One <see cref="CoapClient"/> that observes very many resources, a hundred of each server: <c>fan-in --port P --count N</c>. When all
/// are observed it reads how many seconds from its input, counts so long what <see cref="NotifierServer"/> tells, and says what it came to.
/// </summary>
internal sealed class FanInProgram : IAsyncDisposable
{
    public const string Verb = "fan-in";

    private const int ObservationsOfServer = 100;

    private readonly CoapClient _client = new();
    private readonly Lock _gate = new();
    private LatencyHistogram _times = new();
    private long _errors;

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port", "--count"], [Child.WithParent]);
        await using FanInProgram program = new();
        await program.ObserveAsync(arguments.Number("--port", 0), arguments.Number("--count", 1000));
        while (Console.In.ReadLine() is { } line)
        {
            Console.WriteLine(await program.RunAsync(double.Parse(line)));
        }

        return 0;
    }

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    private async Task ObserveAsync(int port, int count)
    {
        ParallelOptions together = new() { MaxDegreeOfParallelism = ObservationsOfServer };
        await Parallel.ForAsync(0, count, together, async (i, cancellation) =>
        {
            int server = i / ObservationsOfServer;
            string uri = $"coap://127.250.{server / 250}.{1 + (server % 250)}:{port}/{i % ObservationsOfServer}";
            _ = ReadAsync(await _client.ObserveAsync(uri, cancellation).ConfigureAwait(false));
        });
    }

    private async Task ReadAsync(CoapObservation observation)
    {
        await foreach (CoapResponse response in observation.ReadAllAsync().ConfigureAwait(false))
        {
            Count(response);
        }
    }

    private void Count(CoapResponse response)
    {
        long now = TimeProvider.System.GetTimestamp();
        ReadOnlySpan<byte> payload = response.Payload.Span;
        lock (_gate)
        {
            if (response.Code != CoapCode.Content || payload.Length != sizeof(long))
            {
                _errors++;
            }
            else
            {
                long sent = BinaryPrimitives.ReadInt64LittleEndian(payload);
                _times.Add((long)TimeProvider.System.GetElapsedTime(sent, now).TotalNanoseconds);
            }
        }
    }

    private async Task<string> RunAsync(double seconds)
    {
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        Watch begin = new();
        lock (_gate)
        {
            (_times, _errors) = (new LatencyHistogram(), 0);
        }

        await Task.Delay(TimeSpan.FromSeconds(seconds), TimeProvider.System);
        lock (_gate)
        {
            TimeSpan elapsed = begin.Elapsed;
            cpu = Environment.CpuUsage.TotalTime - cpu;
            return
                $"{_times.Count / elapsed.TotalSeconds} {cpu.TotalMicroseconds / Math.Max(1, _times.Count)} "
                    + $"{_times.Microseconds(0.5)} {_times.Microseconds(0.99)} 0 {_errors}";
        }
    }
}
