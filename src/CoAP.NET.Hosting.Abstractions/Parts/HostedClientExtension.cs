namespace CoAP.NET.Hosting.Parts;

/// <summary>The base of the parts that packages add to a hosted client with an endpoint of its own.</summary>
internal abstract class HostedClientExtension : HostedEndpointExtension
{
    /// <summary>Returns the problems of its options, which keep the application from starting.</summary>
    /// <param name="client">The options of the client, before any part has changed them.</param>
    public virtual IEnumerable<string> Check(IClientSettings client) => [];

    /// <summary>Changes the options of the endpoint, on the first use of the client.</summary>
    /// <param name="client">The options of the client.</param>
    /// <param name="credentials">Receives the credentials from files, which may change while the client exists.</param>
    public virtual void Apply(IClientSettings client, List<WatchedCredentials> credentials)
    {
    }

    /// <summary>Creates what requests pass last, before the endpoint; null for none. At most one part of a client does.</summary>
    public virtual InnermostClientHandler? Link(IClientSettings client, CoapEndpoint endpoint) => null;

    /// <summary>Ends it, after the endpoint.</summary>
    public virtual ValueTask CloseAsync() => ValueTask.CompletedTask;
}
