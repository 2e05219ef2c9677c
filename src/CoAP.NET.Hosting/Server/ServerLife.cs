namespace CoAP.NET.Hosting;

/// <summary>How far a hosted server is. Written by its hosted service, read by its health check.</summary>
internal sealed class ServerLife
{
    private volatile ServerPhase _phase;

    public ServerPhase Phase
    {
        get => _phase;
        set => _phase = value;
    }

    /// <summary>The server; null before its start.</summary>
    public CoapServer? Server { get; set; }

    /// <summary>The endpoint of the server; null before it was made.</summary>
    public CoapEndpoint? Endpoint { get; set; }

    /// <summary>Whether it may have no address of its own, as a web application serves it.</summary>
    public bool IsHandedConnections { get; set; }

    /// <summary>Its pre-shared keys of a file; null for none.</summary>
    public PskFileStore? Keys { get; set; }

    /// <summary>Its registrations with resource directories.</summary>
    public HostedDirectories Directories { get; } = new();

    /// <summary>How many requests it serves at a time.</summary>
    public int MaxRequestsServed { get; set; }

    /// <summary>Why it gave up; null if it did not.</summary>
    public Exception? Failure { get; set; }
}
