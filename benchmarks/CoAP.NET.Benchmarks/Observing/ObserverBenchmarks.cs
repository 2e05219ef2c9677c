namespace CoAP.NET.Benchmarks;

/// <summary>
/// What a notification costs when a resource changes that many observe (RFC 7641): the run of the handler, which is one for all, the
/// message for each observer, and where it is Confirmable its acknowledgement. Each invocation sends 10,000 notifications: of as many
/// changes as that takes.
/// </summary>
[MemoryDiagnoser]
public class ObserverBenchmarks
{
    private const int Notifications = 10_000;

    private ObservedServer _server = null!;

    /// <summary>How many observers there are, each a peer of its own.</summary>
    [Params(1, 100, 10_000)]
    public int Observers { get; set; }

    /// <summary>How notifications are sent.</summary>
    [ParamsAllValues]
    public bool Confirmable { get; set; }

    /// <summary>
    /// Registers the observers, and checks that a change reaches each of them once, in the right type and with the new state.
    /// </summary>
    [GlobalSetup]
    public void Setup()
    {
        _server = new ObservedServer(Observers, Confirmable);
        for (int i = 0; i < 3; i++)
        {
            _server.Change();
            _server.CheckLast();
        }

        _server.StopChecking();
    }

    /// <summary>One notification.</summary>
    [Benchmark(OperationsPerInvoke = Notifications)]
    public void Notify()
    {
        for (int sent = 0; sent < Notifications; sent += Observers)
        {
            _server.Change();
        }
    }
}
