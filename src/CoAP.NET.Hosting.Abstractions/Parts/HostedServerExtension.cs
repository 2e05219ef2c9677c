namespace CoAP.NET.Hosting.Parts;

/// <summary>The base of the parts that packages add to a hosted server.</summary>
internal abstract class HostedServerExtension : HostedEndpointExtension
{
    /// <summary>Returns the problems of its options, which keep the application from starting.</summary>
    /// <param name="endpoint">The options of the endpoint, before any part has changed them.</param>
    public virtual IEnumerable<string> Check(CoapEndpointOptions endpoint) => [];

    /// <summary>
    /// Changes the options after the configuration was read and before the functions of <c>ConfigureEndpoint</c> run.
    /// </summary>
    /// <param name="endpoint">The options.</param>
    /// <param name="credentials">Receives the credentials from files, which may change while the server runs.</param>
    public virtual void Apply(CoapEndpointOptions endpoint, List<WatchedCredentials> credentials)
    {
    }

    /// <summary>Runs with the final options, after the functions of <c>ConfigureEndpoint</c>.</summary>
    public virtual void OnOptionsFinal(CoapEndpointOptions endpoint)
    {
    }

    /// <summary>Maps routes.</summary>
    /// <param name="server">The server, which has not started.</param>
    public virtual void Map(CoapServer server)
    {
    }

    /// <summary>Opens what the server needs before it starts.</summary>
    /// <exception cref="CoapException">The server cannot start.</exception>
    public virtual Task OpenAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>Begins what runs along with the server.</summary>
    public virtual void Begin(CoapServer server)
    {
    }

    /// <summary>Ends what must end before the server stops.</summary>
    public virtual Task LeaveAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>
    /// Ends what <see cref="Begin"/> and <see cref="OpenAsync"/> started, after the server has sent its last answer.
    /// </summary>
    public virtual ValueTask CloseAsync() => ValueTask.CompletedTask;
}
