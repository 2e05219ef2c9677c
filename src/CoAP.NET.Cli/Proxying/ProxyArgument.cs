using System.CommandLine;
using CoAP.NET.Cli.CommandLine;

namespace CoAP.NET.Cli.Proxying;

/// <summary>The proxy that a command asks.</summary>
internal static class ProxyArgument
{
    /// <summary>Makes the option.</summary>
    public static Option<string?> Create() => new("--proxy", "-P")
    {
        Description = "Send to this proxy, with the URI as Proxy-Uri, or Proxy-Scheme where it wants that: coap://host[:port], coaps, "
            + "coap+tcp, coaps+tcp, coap+ws or coaps+ws. The URI may then be one of http:// or https:// too.",
        HelpName = "URI",
    };

    /// <summary>The proxy of a command line; null for none.</summary>
    /// <param name="parse">The command line.</param>
    /// <param name="option">The option.</param>
    /// <exception cref="UsageException">It is none.</exception>
    public static CoapUri? Read(ParseResult parse, Option<string?> option)
    {
        if (parse.GetValue(option) is not { } text)
        {
            return null;
        }

        if (TargetArgument.IsHttp(text))
        {
            throw new UsageException(
                "--proxy is asked by CoAP, and what begins with http is asked by HTTP.",
                "A proxy of RFC 8075 takes the target behind its own URI: "
                    + $"curl '{text.TrimEnd('/')}/{TargetArgument.TextOf(parse) ?? "coap://host/path"}'");
        }

        CoapUri proxy = TargetArgument.Check(text);
        return proxy.PathSegments.Count == 0 && proxy.QueryArguments.Count == 0
            ? proxy
            : throw new UsageException($"{text} of --proxy is a resource, and a proxy is a host.",
                $"Leave out path and query: --proxy {proxy.Scheme}://{proxy.Authority}");
    }
}
