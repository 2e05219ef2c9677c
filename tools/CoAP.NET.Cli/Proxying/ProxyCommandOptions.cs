using System.CommandLine;
using CoAP.NET.Cli.Serving;

namespace CoAP.NET.Cli.Proxying;

internal sealed class ProxyCommandOptions
{
    public Option<string[]> Listen { get; } = new("--listen", "-a")
    {
        Description = "The address to listen on: scheme, address and port, such as coap://[::]:5683, coaps://[::] or "
            + "coap+tcp://127.0.0.1:0. May be repeated. Default: coap://localhost:5683, reachable only from this machine.",
        HelpName = "URI",
    };

    public Option<string[]> Allow { get; } = new("--allow")
    {
        Description = "The allowed targets: a host name, *.example.com for all names below a domain, or a network such as "
            + "192.168.7.0/24, which addresses that are not public need. After it a port such as :5685, or :* for every port, if it is not "
            + "the default of the scheme. May be repeated.",
        HelpName = "HOST",
    };

    public Option<string[]> Map { get; } = new("--map")
    {
        Description = "Forward a path to a URI, such as /floor1=coap://[2001:db8::5], /=coaps://device.example or "
            + "/api=https://api.example.com. May be repeated.",
        HelpName = "PATH=URI",
    };

    public Option<string[]> Name { get; } = new("--name")
    {
        Description = "A name of this proxy, so that it does not forward requests to itself. May be repeated.",
        HelpName = "HOST",
    };

    public Option<string?> Identifier { get; } = new("--identifier")
    {
        Description = "The name of this proxy in 5.08 Hop Limit Reached (RFC 8768): up to 64 characters without a space. Default: the "
            + "first --name, or its address.",
        HelpName = "TEXT",
    };

    public Option<bool> Http { get; } = new("--http")
    {
        Description = "Forward to HTTP servers too: clients may name http:// and https:// URIs of hosts in --allow.",
    };

    public Option<string?> Next { get; } = new("--next")
    {
        Description = "Another proxy that gets all requests.",
        HelpName = "URI",
    };

    public Option<TimeSpan?> Timeout { get; } = DurationParser.PositiveOption(
        "--timeout", "Timeout of an answer before 5.04. Default 60s.");

    public Option<int?> HopLimit { get; } = CommandExtensions.Number("--hop-limit",
        "Hop limit for requests without one. Default 16.", 1, 255);

    public Option<int?> CacheBytes { get; } = CommandExtensions.Number("--cache-bytes",
        "Maximum bytes of cached answers. Default 8388608.", 0, int.MaxValue);

    public Option<int?> MaxBody { get; } = CommandExtensions.Number("--max-body",
        "Maximum bytes of a body that the proxy buffers before it forwards it, in either direction, if streaming is not possible. "
            + "Default 1048576.", 1, 1 << 30);

    public Option<int?> MaxStreamedBody { get; } = CommandExtensions.Number("--max-streamed-body",
        "Maximum bytes of a streamed body, in either direction: above 65536 bytes as long as --max-body is more than that. Default "
            + "1073741824.", 1, 1 << 30);

    public Option<int?> MaxRequests { get; } = CommandExtensions.Number("--max-requests",
        "Maximum number of pending requests; further ones get 5.03. Default 1000.", 1, int.MaxValue);

    public Option<int?> MaxRequestsPerSource { get; } = CommandExtensions.Number("--max-requests-per-source",
        "Maximum number of pending requests per source. Default 100.", 1, int.MaxValue);

    public Option<int?> MaxObservations { get; } = CommandExtensions.Number("--max-observations",
        "Maximum number of observations for clients. Default 1000.", 1, int.MaxValue);

    public Option<int?> MaxObservationsPerSource { get; } = CommandExtensions.Number("--max-observations-per-source",
        "Maximum number of observations by clients of one source. Default 100.", 1, int.MaxValue);

    public Option<bool> SecuredToAnyone { get; } = new("--secured-to-anyone")
    {
        Description = "Forward to coaps, coaps+tcp, coaps+ws and https also for clients on a plain scheme, which then use the keys of "
            + "this proxy and get secret content unencrypted.",
    };

    public Option<bool> NoVerify { get; } = new("--no-verify")
    {
        Description = "Forward requests of unverified clients immediately, without a proof of their address by Echo. Only in a network "
            + "without forged addresses.",
    };

    public Option<bool> NoCache { get; } = new("--no-cache") { Description = "Cache no answers." };

    public Option<bool> Quiet { get; } = new("--quiet", "-q") { Description = "Write no line for each request." };

    public ServerKeyOptions Keys { get; } = new();

    public UpstreamKeyOptions UpstreamKeys { get; } = new();

    public void AddTo(GroupedHelpCommand command)
    {
        command.AddGroup("Targets", Allow, Map, Http, Next, SecuredToAnyone);
        command.AddGroup(HelpGroup.Network, Listen, Name, Identifier, NoVerify);
        command.AddGroup("Security towards clients", Keys.All);
        command.AddGroup("Security towards servers", UpstreamKeys.All);
        command.AddGroup("Limits", Timeout, HopLimit, NoCache, CacheBytes, MaxBody, MaxStreamedBody, MaxRequests, MaxRequestsPerSource,
            MaxObservations, MaxObservationsPerSource);
        command.AddGroup(HelpGroup.Output, Quiet, GlobalOptions.Verbose());
    }
}
