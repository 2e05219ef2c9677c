using CoAP.NET.Diagnostics;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// What a client does for one request, from the call to the response that the caller gets, through all stages, without a socket: its peers
/// make their answers of the bytes of the request. The caller goes on on the thread pool, as callers do: with one request at a time that
/// hop is part of what each costs, with 64 hardly.
/// </summary>
[MemoryDiagnoser]
public class PipelineClientBenchmarks
{
    private const int Requests = 1024;

    private ClientLoop _loop = null!;

    /// <summary>What is asked for.</summary>
    [ParamsSource(nameof(Cases))]
    public ClientCase Case { get; set; } = null!;

    /// <summary>How many requests are under way at a time, each to another peer.</summary>
    [Params(1, 64)]
    public int Depth { get; set; }

    /// <summary>What may be asked for.</summary>
    public static IEnumerable<ClientCase> Cases => ClientCase.All;

    /// <summary>Meets all peers, and checks that every request has its response: the loop checks each of them.</summary>
    [GlobalSetup]
    public void Setup()
    {
        MemoryClient client = new(Case.Format, MemoryPeers.Echo(Case.Format));
        _loop = new ClientLoop(client, Case.Work, Depth);
        _loop.RunAsync(2 * MemoryClient.Peers).GetAwaiter().GetResult();
        CoapCounters counters = client.Client.Endpoint.Counters;
        if (counters[CoapCounter.RequestsSent] != 2 * MemoryClient.Peers || counters[CoapCounter.Retransmissions] != 0)
        {
            throw new InvalidOperationException(
                $"{Case}: {counters[CoapCounter.RequestsSent]} requests and {counters[CoapCounter.Retransmissions]} copies were sent.");
        }
    }

    /// <summary>One request and its response.</summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public Task RequestAsync() => _loop.RunAsync(Requests);
}
