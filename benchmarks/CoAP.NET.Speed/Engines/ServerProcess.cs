namespace CoAP.NET.Speed.Engines;

/// <summary>A <see cref="BenchServer"/> as a child process, kept on its processor.</summary>
internal sealed class ServerProcess : IDisposable
{
    private readonly Child _process;

    private ServerProcess(Child process) => _process = process;

    public IPEndPoint Endpoint => _process.Endpoints[0];

    public int Id => _process.Id;

    public ProcessFigures Figures => ProcessFigures.Of(Id);

    /// <summary>Starts one and waits until it listens.</summary>
    /// <param name="engine"><c>inline</c>, <c>async</c> or <c>blocking</c>.</param>
    /// <param name="arguments">More arguments.</param>
    /// <exception cref="InvalidOperationException">It ended before it listened; what it said is on the error stream.</exception>
    public static ServerProcess Start(string engine, params string[] arguments) =>
        new(Child.StartSelf(Processors.Measured, 1, [BenchServer.Verb, "--engine", engine, .. arguments]));

    /// <summary>Has it collect garbage, and says what is left of its memory.</summary>
    public ProcessFigures Collect()
    {
        using RequestLoop loop = new(Endpoint, Frames.Request(CoapCode.Post, "collect"), []);
        loop.Open(1, 1_000_000);
        loop.Run(0);
        return Figures;
    }

    /// <summary>The bytes of its managed heap, garbage included.</summary>
    public long HeapBytes()
    {
        using HeapQuestion question = new(Endpoint);
        return question.Ask();
    }

    public void Dispose() => _process.Dispose();
}
