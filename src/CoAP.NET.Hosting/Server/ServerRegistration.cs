using CoAP.NET.Hosting.Health;
using CoAP.NET.Hosting.Parts;

namespace CoAP.NET.Hosting.Server;

/// <summary>A server that code added to the services: its settings before its creation, and its state afterwards.</summary>
internal sealed class ServerRegistration : HostedRegistration
{
    public ServerRegistration(string name)
        : base(Server, "Servers", name)
    {
        Health = new ServerHealthCheck(this);

        // The first filter of all, so that the user's filters have the services too.
        Routes.Routes.AddFilterFactory((_, next) => (request, cancellationToken) => Scopes.ServeAsync(request, next, cancellationToken),
            beforeBody: true);
    }

    public CoapRoutes Routes { get; } = new();

    public RequestScopes Scopes { get; } = new();

    public HostedServerState Life { get; } = new();

    /// <summary>The functions that run before it listens.</summary>
    public StartupActions Preparations { get; } = new();

    public ServerHealthCheck Health { get; }
}
