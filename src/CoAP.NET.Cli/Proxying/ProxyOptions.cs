using System.CommandLine;
using CoAP.NET.Cli.CommandLine;
using CoAP.NET.Cli.Serving;

namespace CoAP.NET.Cli.Proxying;

/// <summary>The options of <c>coap proxy</c>.</summary>
internal sealed class ProxyOptions
{
    public Option<string[]> Listen { get; } = new("--listen", "-a")
    {
        Description = "Where to listen: scheme, address and port, such as coap://[::]:5683, coaps://[::] or coap+tcp://127.0.0.1:0. "
            + "May be repeated. Default: coap://[::1]:5683, which only this machine reaches.",
        HelpName = "URI",
    };

    public Option<string[]> Allow { get; } = new("--allow")
    {
        Description = "Whom clients may ask: a host name, *.example.com for all names below a domain, or a network such as 192.168.7.0/24, "
            + "which is needed for addresses that are not public. May be repeated.",
        HelpName = "HOST",
    };

    public Option<string[]> Map { get; } = new("--map")
    {
        Description = "Stand for a server: a path and the URI that it means, such as /floor1=coap://[2001:db8::5], "
            + "/=coaps://device.example or /api=https://api.example.com. May be repeated.",
        HelpName = "PATH=URI",
    };

    public Option<string[]> Name { get; } = new("--name")
    {
        Description = "What this proxy is called, so that requests for it are not sent on. May be repeated.",
        HelpName = "HOST",
    };

    public Option<string?> Identifier { get; } = new("--identifier")
    {
        Description = "What this proxy calls itself in 5.08 Hop Limit Reached (RFC 8768): up to 64 characters without a space. Default: "
            + "the first --name, or its address.",
        HelpName = "TEXT",
    };

    public Option<bool> Http { get; } = new("--http")
    {
        Description = "Ask servers of HTTP too: clients may name http:// and https:// URIs of hosts that --allow names.",
    };

    public Option<string?> Next { get; } = new("--next")
    {
        Description = "Another proxy that everything is handed to.",
        HelpName = "URI",
    };

    public Option<TimeSpan?> Timeout { get; } = Durations.Option("--timeout", "How long an answer may take before 5.04. Default 60s.");

    public Option<int?> HopLimit { get; } = CommandExtensions.Number("--hop-limit",
        "How many more proxies may send requests on that do not say so themselves. Default 16.", 1, 255);

    public Option<int?> CacheBytes { get; } = CommandExtensions.Number("--cache-bytes",
        "How many bytes of answers are kept. Default 8388608.", 0, int.MaxValue);

    public Option<int?> MaxBody { get; } = CommandExtensions.Number("--max-body",
        "The largest body in bytes that is held as a whole before it is sent on, either way, where it cannot pass as a stream. "
            + "Default 1048576.", 1, 1 << 30);

    public Option<int?> MaxStreamedBody { get; } = CommandExtensions.Number("--max-streamed-body",
        "The largest body in bytes that passes as a stream, either way: above 65536 bytes as long as --max-body is more than that. "
            + "Default 1073741824.", 1, 1 << 30);

    public Option<int?> MaxRequests { get; } = CommandExtensions.Number("--max-requests",
        "How many requests may be under way; others get 5.03. Default 1000.", 1, int.MaxValue);

    public Option<int?> MaxRequestsPerSource { get; } = CommandExtensions.Number("--max-requests-per-source",
        "How many of them may be of one source. Default 100.", 1, int.MaxValue);

    public Option<int?> MaxObservations { get; } = CommandExtensions.Number("--max-observations",
        "How many resources may be observed for clients. Default 1000.", 1, int.MaxValue);

    public Option<int?> MaxObservationsPerSource { get; } = CommandExtensions.Number("--max-observations-per-source",
        "How many of them clients of one source may have begun. Default 100.", 1, int.MaxValue);

    public Option<bool> SecuredToAnyone { get; } = new("--secured-to-anyone")
    {
        Description = "Ask servers of coaps, coaps+tcp, coaps+ws and https also for clients that come by a plain scheme, who so use the "
            + "keys of this proxy and get in the clear what was secret.",
    };

    public Option<bool> NoVerify { get; } = new("--no-verify")
    {
        Description = "Send requests of strangers on at once, without proof by Echo that their address is their own. "
            + "Only in a network where nobody forges addresses.",
    };

    public Option<bool> NoCache { get; } = new("--no-cache") { Description = "Keep no answers." };

    public Option<bool> Quiet { get; } = new("--quiet", "-q") { Description = "Write no line for each request." };

    public ServerKeyOptions Keys { get; } = new();

    public UpstreamKeyOptions UpstreamKeys { get; } = new();

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[Listen, Allow, Map, Http, Next, Name, Identifier, .. Keys.All, .. UpstreamKeys.All,
            SecuredToAnyone, NoVerify, Timeout, HopLimit, NoCache, CacheBytes, MaxBody, MaxStreamedBody, MaxRequests,
            MaxRequestsPerSource, MaxObservations, MaxObservationsPerSource, Quiet])
        {
            command.Options.Add(option);
        }
    }
}
