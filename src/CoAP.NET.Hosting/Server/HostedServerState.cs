namespace CoAP.NET.Hosting.Server;

/// <summary>The state of a hosted server. Its hosted service writes it, and its health check reads it.</summary>
internal sealed class HostedServerState
{
    private volatile ServerPhase _phase;

    public ServerPhase Phase
    {
        get => _phase;
        set => _phase = value;
    }

    /// <summary>The server; null before its start.</summary>
    public CoapServer? Server { get; set; }

    /// <summary>The endpoint of the server; null before its creation.</summary>
    public CoapEndpoint? Endpoint { get; set; }

    /// <summary>Whether it may have no address of its own, because a web application serves it.</summary>
    public bool IsHandedConnections { get; set; }

    /// <summary>Its credentials of files.</summary>
    public List<WatchedCredentials> Credentials { get; } = [];

    /// <summary>Maximum number of concurrent requests.</summary>
    public int MaxRequestsServed { get; set; }

    /// <summary>The reason of its failure; null without one.</summary>
    public Exception? Failure { get; set; }
}
