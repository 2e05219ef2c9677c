using CoAP.NET.Diagnostics;

namespace CoAP.NET.Benchmarks;

/// <summary>A client and a server in one process, joined in memory: everything that the library does for a request at both ends.</summary>
[MemoryDiagnoser]
public class PipelineBothBenchmarks
{
    private const int Requests = 1024;
    private const int WarmUp = 4 * MemoryClient.Peers;

    private ClientLoop _loop = null!;

    /// <summary>The wire format.</summary>
    [ParamsAllValues]
    public WireFormat Format { get; set; }

    /// <summary>How many requests are under way at a time.</summary>
    [Params(1, 64)]
    public int Depth { get; set; }

    /// <summary>Joins them, and checks that each request was served once and that its response is the server's.</summary>
    [GlobalSetup]
    public void Setup()
    {
        MemoryServer server = new(Format, ServerCase.Map);
        int Serve(int peer, ReadOnlySpan<byte> request, Span<byte> answer)
        {
            long before = server.Answers;
            server.SendFrom(peer, request);
            server.LetTimePass(1);
            if (server.Answers == before)
            {
                return 0;
            }

            server.LastAnswer.CopyTo(answer);
            return server.LastAnswer.Length;
        }

        MemoryClient client = new(Format, Serve);
        _loop = new ClientLoop(client, ClientWork.Get, Depth);
        _loop.RunAsync(WarmUp).GetAwaiter().GetResult();
        CoapResponse response = AskAsync(client).GetAwaiter().GetResult();
        if (response.GetText() != "21.5 degrees" || server.Server.Counters[CoapCounter.RequestsReceived] != WarmUp + 1
            || server.Server.Counters[CoapCounter.Duplicates] != 0)
        {
            throw new InvalidOperationException(
                $"The response is {response} after {server.Server.Counters[CoapCounter.RequestsReceived]} requests.");
        }
    }

    /// <summary>One request and its response.</summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public Task RequestAsync() => _loop.RunAsync(Requests);

    private static Task<CoapResponse> AskAsync(MemoryClient client)
    {
        Task<CoapResponse> response = client.Client.GetAsync(client.Uris[0]);
        client.DeliverAnswers();
        return response;
    }
}
