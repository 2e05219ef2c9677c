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
        Description = "Stand for a server: a path and the URI that it means, such as /floor1=coap://[2001:db8::5]. May be repeated.",
        HelpName = "PATH=URI",
    };

    public Option<string[]> Name { get; } = new("--name")
    {
        Description = "What this proxy is called, so that requests for it are not sent on. May be repeated.",
        HelpName = "HOST",
    };

    public Option<string?> Next { get; } = new("--next")
    {
        Description = "Another proxy that everything is handed to.",
        HelpName = "URI",
    };

    public Option<TimeSpan?> Timeout { get; } = Durations.Option("--timeout", "How long an answer may take before 5.04. Default 60s.");

    public Option<bool> NoVerify { get; } = new("--no-verify")
    {
        Description = "Send requests of strangers on at once, without proof by Echo that their address is their own. "
            + "Only in a network where nobody forges addresses.",
    };

    public Option<bool> NoCache { get; } = new("--no-cache") { Description = "Keep no answers." };

    public Option<bool> Quiet { get; } = new("--quiet", "-q") { Description = "Write no line for each request." };

    public ServerKeyOptions Keys { get; } = new();

    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[Listen, Allow, Map, Name, Next, Timeout, NoVerify, NoCache, Quiet, .. Keys.All])
        {
            command.Options.Add(option);
        }
    }
}
