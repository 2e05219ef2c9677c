using CoAP.NET.Diagnostics;

namespace CoAP.NET.Benchmarks;

/// <summary>
/// What a server does for one request, from the bytes of the request to the bytes of its answer, through all stages, without a socket: the
/// time and the memory that are the library's own. See <see cref="MemoryServer"/> for its peers and the state in which it is measured.
/// </summary>
[MemoryDiagnoser]
public class PipelineServerBenchmarks
{
    private const int Requests = 1024;

    private MemoryServer _server = null!;
    private byte[] _request = [];

    /// <summary>What is asked for.</summary>
    [ParamsSource(nameof(Cases))]
    public ServerCase Case { get; set; } = null!;

    /// <summary>What may be asked for.</summary>
    public static IEnumerable<ServerCase> Cases => ServerCase.All;

    /// <summary>Fills the memory for duplicates, and checks that the answer is the right one and comes from where it should.</summary>
    [GlobalSetup]
    public void Setup()
    {
        _server = new MemoryServer(Case.Format, ServerCase.Map);
        _request = Case.Request();
        _server.Send(_request, MemoryServer.Remembered + MemoryServer.Peers);
        CoapMessage answer = _server.Ask(_request);
        if (!Case.IsAnsweredBy(answer))
        {
            throw new InvalidOperationException($"{Case}: the answer is {answer}.");
        }

        CoapCounters counters = _server.Server.Counters;
        (long served, long duplicates) = (counters[CoapCounter.RequestsReceived], counters[CoapCounter.Duplicates]);
        Request();
        served = counters[CoapCounter.RequestsReceived] - served;
        duplicates = counters[CoapCounter.Duplicates] - duplicates;
        if (served != (Case.Work is ServerWork.Ping or ServerWork.Duplicate ? 0 : Requests)
            || duplicates != (Case.Work == ServerWork.Duplicate ? Requests : 0))
        {
            throw new InvalidOperationException($"{Case}: {served} requests were served and {duplicates} were duplicates.");
        }
    }

    /// <summary>One request and its answer.</summary>
    [Benchmark(OperationsPerInvoke = Requests)]
    public void Request()
    {
        if (Case.Work != ServerWork.Duplicate)
        {
            _server.Send(_request, Requests);
            return;
        }

        // The last one again and again; no time passes, so that it does not expire.
        long before = _server.Answers;
        for (int i = 0; i < Requests; i++)
        {
            _server.SendFrom(0, _request);
        }

        if (_server.Answers - before != Requests)
        {
            throw new InvalidOperationException($"{_server.Answers - before} answers to {Requests} duplicates.");
        }
    }
}
