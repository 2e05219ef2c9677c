namespace CoAP.NET.Speed.Servers;

/// <summary>
/// One <see cref="CoapClient"/> with a request under way to each of many servers: <c>client --port P --count N</c>. It reads how many
/// seconds from its input, runs so long, and says what it came to in a line.
/// </summary>
internal sealed class ClientProgram : IAsyncDisposable
{
    public const string Verb = "client";

    private readonly CoapClient _client = new();
    private readonly string[] _targets;
    private LatencyHistogram _times = new();
    private long _end;
    private long _errors;
    private long _lost;

    private ClientProgram(int port, int count) =>
        _targets = [.. Enumerable.Range(0, count)
            .Select(i => $"coap://127.250.{i / 250}.{1 + (i % 250)}:{port}/hello")];

    public static async Task<int> RunAsync(string[] args)
    {
        Arguments arguments = Arguments.Parse(args, ["--port", "--count"], [Child.WithParent]);
        await using ClientProgram program = new(arguments.Number("--port", 0), arguments.Number("--count", 128));
        while (Console.In.ReadLine() is { } line)
        {
            Console.WriteLine(await program.RunAsync(double.Parse(line)));
        }

        return 0;
    }

    public ValueTask DisposeAsync() => _client.DisposeAsync();

    private async Task<string> RunAsync(double seconds)
    {
        (_times, _errors, _lost) = (new LatencyHistogram(), 0, 0);
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long begin = TimeProvider.System.GetTimestamp();
        _end = begin + (long)(seconds * TimeProvider.System.TimestampFrequency);
        await Task.WhenAll(_targets.Select(AskAsync));

        // What follows waits for the next line, which would block the receiving thread that brought the last response.
        await Task.Yield();
        TimeSpan elapsed = TimeProvider.System.GetElapsedTime(begin);
        cpu = Environment.CpuUsage.TotalTime - cpu;
        return
            $"{_times.Count / elapsed.TotalSeconds} {cpu.TotalMicroseconds / Math.Max(1, _times.Count)} "
                + $"{_times.Microseconds(0.5)} {_times.Microseconds(0.99)} {_lost} {_errors}";
    }

    private async Task AskAsync(string target)
    {
        for (long now; (now = TimeProvider.System.GetTimestamp()) < _end;)
        {
            try
            {
                CoapResponse response = await _client.GetAsync(target).ConfigureAwait(false);
                if (response.Payload.Span.SequenceEqual("hello world!"u8))
                {
                    lock (_targets)
                    {
                        _times.Add((long)TimeProvider.System.GetElapsedTime(now).TotalNanoseconds);
                    }
                }
                else
                {
                    Interlocked.Increment(ref _errors);
                }
            }
            catch (CoapTimeoutException)
            {
                Interlocked.Increment(ref _lost);
            }
            catch (CoapException)
            {
                Interlocked.Increment(ref _errors);
            }
        }
    }
}
